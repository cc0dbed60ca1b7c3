import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hive.metastore.HiveMetaStore;
import org.apache.hadoop.hive.metastore.HiveMetaStoreClient;
import org.apache.hadoop.hive.metastore.api.Database;
import org.apache.hadoop.hive.metastore.api.FieldSchema;
import org.apache.hadoop.hive.metastore.api.LockComponent;
import org.apache.hadoop.hive.metastore.api.LockLevel;
import org.apache.hadoop.hive.metastore.api.LockRequest;
import org.apache.hadoop.hive.metastore.api.LockType;
import org.apache.hadoop.hive.metastore.api.Partition;
import org.apache.hadoop.hive.metastore.api.SQLPrimaryKey;
import org.apache.hadoop.hive.metastore.api.SerDeInfo;
import org.apache.hadoop.hive.metastore.api.StorageDescriptor;
import org.apache.hadoop.hive.metastore.api.Table;
import org.apache.hadoop.hive.metastore.conf.MetastoreConf;
import org.apache.hadoop.hive.metastore.conf.MetastoreConf.ConfVars;
import org.apache.hadoop.hive.metastore.txn.TxnDbUtil;

/**
 * A real Hive metastore with a Derby database of its own: `Metastore FOLDER PORT`. It prints {"ok": true} once
 * it answers, then plays the user of Hive: a JSON command each line of standard input, an answer each line of standard
 * output. It ends with its input.
 */
public final class Metastore {
    private static long lock; // the one that the last command "lock" got

    public static void main(String[] args) throws Throwable {
        PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), false, "UTF-8");
        System.setOut(System.err);
        System.setProperty("derby.stream.error.file", args[0] + "/derby.log");
        Configuration conf = MetastoreConf.newMetastoreConf();
        MetastoreConf.setVar(conf, ConfVars.CONNECT_URL_KEY, "jdbc:derby:;databaseName=" + args[0] + "/db;create=true");
        MetastoreConf.setVar(conf, ConfVars.WAREHOUSE, "file:" + args[0] + "/warehouse");
        MetastoreConf.setVar(conf, ConfVars.EXPRESSION_PROXY_CLASS,
                "org.apache.hadoop.hive.metastore.DefaultPartitionExpressionProxy");
        MetastoreConf.setVar(conf, ConfVars.TASK_THREADS_ALWAYS,
                "org.apache.hadoop.hive.metastore.events.EventCleanerTask");
        MetastoreConf.setBoolVar(conf, ConfVars.AUTO_CREATE_ALL, true);
        MetastoreConf.setBoolVar(conf, ConfVars.SCHEMA_VERIFICATION, false);
        TxnDbUtil.prepDb(conf);
        int port = Integer.parseInt(args[1]);
        Thread server = new Thread(() -> {
            try {
                HiveMetaStore.startMetaStore(port, null, conf);
            } catch (Throwable e) {
                e.printStackTrace();
                System.exit(1);
            }
        });
        server.setDaemon(true);
        server.start();
        Configuration mine = new Configuration(conf);
        MetastoreConf.setVar(mine, ConfVars.THRIFT_URIS, "thrift://127.0.0.1:" + port);
        MetastoreConf.setLongVar(mine, ConfVars.THRIFT_CONNECTION_RETRIES, 60);
        HiveMetaStoreClient client = new HiveMetaStoreClient(mine);
        client.getAllDatabases();
        out.println("{\"ok\":true}");
        out.flush();
        serve(client, out);
        System.exit(0);
    }

    private static void serve(HiveMetaStoreClient client, PrintStream out) throws Exception {
        ObjectMapper json = new ObjectMapper();
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line; (line = in.readLine()) != null; ) {
            ObjectNode answer = json.createObjectNode();
            try {
                run(client, json.readTree(line), answer);
                answer.put("ok", true);
            } catch (Throwable e) {
                answer = json.createObjectNode().put("error", e.getClass().getSimpleName() + ": " + e.getMessage());
            }
            out.println(json.writeValueAsString(answer));
            out.flush();
        }
    }

    private static void run(HiveMetaStoreClient client, JsonNode command, ObjectNode answer) throws Exception {
        String db = text(command, "db");
        String table = text(command, "table");
        switch (command.get("do").textValue()) {
            case "create-database":
                client.createDatabase(new Database(db, text(command, "description"), text(command, "location"), new HashMap<>()));
                return;
            case "create-table": createTable(client, db, table, command); return;
            case "create-tables":
                for (int i = 0; i < command.get("count").intValue(); i++) {
                    createTable(client, db, table + i, command);
                }
                return;
            case "add-partitions": addPartitions(client, db, table, command); return;
            case "table": describe(client.getTable(db, table), answer); return;
            case "tables": answer.putPOJO("tables", client.getAllTables(db)); return;
            case "databases": answer.putPOJO("databases", client.getAllDatabases()); return;
            case "database":
                Database database = client.getDatabase(db);
                answer.put("location", database.getLocationUri());
                answer.put("description", database.getDescription());
                answer.putPOJO("parameters", database.getParameters());
                return;
            case "partitions":
                ArrayNode partitions = answer.putArray("partitions");
                for (Partition p : client.listPartitions(db, table, (short) -1)) {
                    ObjectNode node = partitions.addObject();
                    node.putPOJO("values", p.getValues());
                    node.put("location", p.getSd().getLocation());
                    node.putPOJO("parameters", p.getParameters());
                }
                return;
            case "marked":
                answer.put("marked", client.isPartitionMarkedForEvent(db, table, map(command.get("values")),
                        org.apache.hadoop.hive.metastore.api.PartitionEventType.LOAD_DONE));
                return;
            case "lock":
                LockComponent component = new LockComponent(LockType.EXCLUSIVE, LockLevel.TABLE, db);
                component.setTablename(table);
                lock = client.lock(new LockRequest(new ArrayList<>(List.of(component)), "somebody", "else")).getLockid();
                return;
            case "unlock": client.unlock(lock); return;
            case "drop-database": client.dropDatabase(db, true, true, true); return;
            case "drop-table": client.dropTable(db, table, !command.path("keep").booleanValue(), true); return;
            case "drop-partition": client.dropPartition(db, table, texts(command.get("values")), false); return;
            default: throw new IllegalArgumentException("no command " + command.get("do"));
        }
    }

    private static void createTable(HiveMetaStoreClient client, String db, String name, JsonNode command) throws Exception {
        Table table = new Table();
        table.setDbName(db);
        table.setTableName(name);
        table.setOwner("hive");
        table.setTableType(command.path("external").booleanValue() ? "EXTERNAL_TABLE" : "MANAGED_TABLE");
        table.setPartitionKeys(columns(command.get("partitioned")));
        table.setParameters(map(command.get("parameters")));
        if (command.path("external").booleanValue()) {
            table.getParameters().put("EXTERNAL", "TRUE");
        }
        table.setSd(storage(command));
        if (command.has("primary-key")) {
            List<SQLPrimaryKey> key = new ArrayList<>();
            for (String column : texts(command.get("primary-key"))) {
                key.add(new SQLPrimaryKey(db, name, column, key.size() + 1, "pk_" + name, false, false, false));
            }
            client.createTableWithConstraints(table, key, null, null, null, null, null);
        } else {
            client.createTable(table);
        }
    }

    private static StorageDescriptor storage(JsonNode command) {
        StorageDescriptor sd = new StorageDescriptor();
        sd.setCols(columns(command.get("columns")));
        sd.setLocation(text(command, "location"));
        sd.setInputFormat(text(command, "input"));
        sd.setOutputFormat(text(command, "output"));
        sd.setSerdeInfo(new SerDeInfo(null, text(command, "serde"), new HashMap<>()));
        sd.setBucketCols(new ArrayList<>());
        sd.setSortCols(new ArrayList<>());
        sd.setParameters(new HashMap<>());
        return sd;
    }

    private static void addPartitions(HiveMetaStoreClient client, String db, String name, JsonNode command) throws Exception {
        Table table = client.getTable(db, name);
        List<Partition> partitions = new ArrayList<>();
        for (JsonNode node : command.get("partitions")) {
            StorageDescriptor sd = new StorageDescriptor(table.getSd());
            sd.setLocation(text(node, "location"));
            if (node.has("serde")) {
                sd.setSerdeInfo(new SerDeInfo(null, text(node, "serde"), new HashMap<>()));
                sd.setInputFormat(text(node, "input"));
            }
            partitions.add(new Partition(texts(node.get("values")), db, name, 0, 0, sd, new HashMap<>()));
        }
        client.add_partitions(partitions);
    }

    private static void describe(Table table, ObjectNode answer) {
        answer.put("type", table.getTableType());
        answer.put("location", table.getSd().getLocation());
        answer.put("input", table.getSd().getInputFormat());
        answer.put("output", table.getSd().getOutputFormat());
        answer.put("serde", table.getSd().getSerdeInfo().getSerializationLib());
        answer.put("view", table.getViewExpandedText());
        answer.put("owner", table.getOwner());
        answer.putPOJO("parameters", table.getParameters());
        describe(table.getSd().getCols(), answer.putArray("columns"));
        describe(table.getPartitionKeys(), answer.putArray("partitioned"));
    }

    private static void describe(List<FieldSchema> columns, ArrayNode out) {
        for (FieldSchema column : columns) {
            out.addArray().add(column.getName()).add(column.getType()).add(column.getComment());
        }
    }

    private static List<FieldSchema> columns(JsonNode node) {
        List<FieldSchema> columns = new ArrayList<>();
        if (node != null) {
            node.forEach(c -> columns.add(new FieldSchema(c.get(0).textValue(), c.get(1).textValue(),
                    c.has(2) ? c.get(2).textValue() : null)));
        }
        return columns;
    }

    private static List<String> texts(JsonNode node) {
        List<String> texts = new ArrayList<>();
        node.forEach(n -> texts.add(n.textValue()));
        return texts;
    }

    private static Map<String, String> map(JsonNode node) {
        Map<String, String> map = new HashMap<>();
        if (node != null) {
            node.fields().forEachRemaining(e -> map.put(e.getKey(), e.getValue().textValue()));
        }
        return map;
    }

    private static String text(JsonNode node, String key) {
        return node.path(key).textValue();
    }
}
