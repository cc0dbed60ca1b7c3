import java.io.BufferedReader;
import java.io.File;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.apache.paimon.catalog.Catalog;
import org.apache.paimon.catalog.CatalogContext;
import org.apache.paimon.catalog.CatalogFactory;
import org.apache.paimon.catalog.Identifier;
import org.apache.paimon.operation.LocalOrphanFilesClean;
import org.apache.paimon.options.ExpireConfig;
import org.apache.paimon.options.Options;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.core.JsonParser;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.node.ArrayNode;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.node.ObjectNode;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.Table;
import org.apache.paimon.types.DataField;

/**
 * Apache Paimon's Java API behind a line protocol, so that one process serves a whole test run: each line of standard
 * input is a command, {"do": ..., "warehouse": DIR, "db": D, "table": T, ...}, each line of standard output its answer,
 * {"ok": true, ...} or {"error": "..."}. A new catalog is opened for each command: nothing is cached between turns.
 */
public final class Interop {
    public static void main(String[] args) throws Exception {
        PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), false, "UTF-8");
        System.setOut(System.err);
        ObjectMapper json = new ObjectMapper();
        json.configure(JsonParser.Feature.ALLOW_NON_NUMERIC_NUMBERS, true);
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line; (line = in.readLine()) != null; ) {
            ObjectNode answer = json.createObjectNode();
            try {
                run(json.readTree(line), answer);
                answer.put("ok", true);
            } catch (Throwable e) {
                answer = json.createObjectNode().put("error", causes(e));
                if (System.getenv("MICA_INTEROP_TRACE") != null) {
                    e.printStackTrace();
                }
            }
            out.println(json.writeValueAsString(answer));
            out.flush();
        }
        System.exit(0);
    }

    private static void run(JsonNode command, ObjectNode answer) throws Exception {
        Options options = new Options();
        // A metastore keeps the scheme, and others have to know it.
        String scheme = command.has("catalog") ? "file" : WholeFiles.SCHEME;
        options.set("warehouse", scheme + ":" + new File(command.get("warehouse").textValue()).getAbsolutePath());
        options.set("cache-enabled", "false");
        if (command.has("catalog")) {
            command.get("catalog").fields().forEachRemaining(e -> options.set(e.getKey(), e.getValue().textValue()));
        }
        try (Catalog catalog = CatalogFactory.createCatalog(CatalogContext.create(options))) {
            Identifier id = Identifier.create(command.get("db").textValue(), command.get("table").textValue());
            String verb = command.get("do").textValue();
            switch (verb) {
                case "create": Write.create(catalog, id, command); return;
                case "alter": Write.alter(catalog, id, command); return;
                case "drop": catalog.dropTable(id, false); return;
                case "rename":
                    catalog.renameTable(id, Identifier.create(id.getDatabaseName(), command.get("to").textValue()), false);
                    return;
                case "create-database":
                    catalog.createDatabase(id.getDatabaseName(), true);
                    return;
                case "drop-database": catalog.dropDatabase(id.getDatabaseName(), false, true); return;
                case "databases":
                    ArrayNode databases = answer.putArray("databases");
                    catalog.listDatabases().forEach(databases::add);
                    return;
                case "views":
                    ArrayNode views = answer.putArray("views");
                    catalog.listViews(id.getDatabaseName()).forEach(views::add);
                    return;
                case "view": answer.put("query", catalog.getView(id).query()); return;
                case "list":
                    ArrayNode tables = answer.putArray("tables");
                    catalog.listTables(id.getDatabaseName()).forEach(tables::add);
                    return;
                default:
            }
            Table table = catalog.getTable(id);
            switch (verb) {
                case "dump": Dump.rows(table, command, answer); return;
                case "schema": Dump.schema((FileStoreTable) table, answer); return;
                case "columns":
                    ArrayNode columns = answer.putArray("columns");
                    for (DataField field : table.rowType().getFields()) {
                        columns.addArray().add(field.name()).add(field.type().asSQLString());
                    }
                    return;
                case "write": Write.rows((FileStoreTable) table, command); return;
                case "session": Write.session((FileStoreTable) table, command); return;
                case "compact": Write.compact((FileStoreTable) table); return;
                case "tag": tag(table, command); return;
                case "delete-tag": table.deleteTag(command.get("name").textValue()); return;
                case "rollback":
                    if (command.has("name")) {
                        table.rollbackTo(command.get("name").textValue());
                    } else {
                        table.rollbackTo(command.get("snapshot").longValue());
                    }
                    return;
                case "expire":
                    int keep = command.get("keep").intValue();
                    answer.put("count", table.newExpireSnapshots()
                            .config(ExpireConfig.builder().snapshotRetainMax(keep).snapshotRetainMin(keep)
                                    .snapshotMaxDeletes(command.path("limit").asInt(Integer.MAX_VALUE)).build()).expire());
                    return;
                case "clean":
                    long before = System.currentTimeMillis() - command.path("age").asLong(1000);
                    answer.put("count", new LocalOrphanFilesClean((FileStoreTable) table, before, false).clean()
                            .getDeletedFileCount());
                    return;
                case "statistics":
                    answer.put("statistics", table.statistics().map(Object::toString).orElse(null));
                    return;
                case "branch":
                    if (command.has("tag")) {
                        table.createBranch(command.get("name").textValue(), command.get("tag").textValue());
                    } else {
                        table.createBranch(command.get("name").textValue());
                    }
                    return;
                case "delete-branch": table.deleteBranch(command.get("name").textValue()); return;
                case "fast-forward": table.fastForward(command.get("name").textValue()); return;
                default: throw new IllegalArgumentException("no command " + verb);
            }
        }
    }

    private static void tag(Table table, JsonNode command) {
        String name = command.get("name").textValue();
        if (command.has("retained")) {
            table.createTag(name, command.get("snapshot").longValue(), Duration.parse(command.get("retained").textValue()));
        } else if (command.has("snapshot")) {
            table.createTag(name, command.get("snapshot").longValue());
        } else {
            table.createTag(name);
        }
    }

    private static String causes(Throwable e) {
        StringBuilder b = new StringBuilder();
        for (Throwable t = e; t != null; t = t.getCause()) {
            b.append(b.length() == 0 ? "" : " <- ").append(t.getClass().getSimpleName()).append(": ").append(t.getMessage());
        }
        return b.toString();
    }
}
