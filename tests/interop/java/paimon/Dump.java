import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.predicate.Predicate;
import org.apache.paimon.predicate.PredicateBuilder;
import org.apache.paimon.reader.RecordReaderIterator;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.node.ArrayNode;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.node.ObjectNode;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.Table;
import org.apache.paimon.table.source.ReadBuilder;
import org.apache.paimon.table.source.Split;
import org.apache.paimon.table.source.TableRead;
import org.apache.paimon.types.DataField;
import org.apache.paimon.types.RowType;

/** Reads what a table holds: its rows (all, filtered, of a past snapshot), its schema. */
final class Dump {
    private Dump() {}

    /**
     * Adds "columns" ([name, type] pairs) and "rows" to the answer. The command may hold "options" (scan options such as
     * scan.snapshot-id), "columns" (a projection), "filter" ({"column", "op", "value"}), "kinds": true for
     * {"kind", "row"} in place of plain rows, "present_schema": true to read the past as Flink's hints do, and "count":
     * true for nothing but the number of rows.
     */
    static void rows(Table table, JsonNode command, ObjectNode answer) throws Exception {
        Map<String, String> options = Values.texts(command.get("options"));
        if (!options.isEmpty()) {
            table = command.path("present_schema").asBoolean() && table instanceof FileStoreTable
                    ? ((FileStoreTable) table).copyWithoutTimeTravel(options)
                    : table.copy(options);
        }
        ReadBuilder builder = table.newReadBuilder();
        if (command.has("filter")) {
            builder.withFilter(filter(table.rowType(), command.get("filter")));
        }
        List<String> columns = Values.names(command.get("columns"));
        if (!columns.isEmpty()) {
            builder.withProjection(columns.stream().mapToInt(table.rowType()::getFieldIndex).toArray());
        }
        RowType type = builder.readType();
        ArrayNode header = answer.putArray("columns");
        for (DataField f : type.getFields()) {
            header.addArray().add(f.name()).add(f.type().asSQLString());
        }
        ArrayNode rows = answer.putArray("rows");
        boolean kinds = command.path("kinds").asBoolean();
        boolean counting = command.path("count").asBoolean();
        long count = 0;
        TableRead read = builder.newRead();
        if (command.has("filter")) {
            read = read.executeFilter();
        }
        for (Split split : builder.newScan().plan().splits()) {
            try (RecordReaderIterator<InternalRow> it = new RecordReaderIterator<>(read.createReader(split))) {
                while (it.hasNext()) {
                    InternalRow row = it.next();
                    ++count;
                    if (counting) {
                        continue;
                    }
                    if (kinds) {
                        rows.addObject().put("kind", row.getRowKind().shortString()).set("row", Values.encodeRow(row, type));
                    } else {
                        rows.add(Values.encodeRow(row, type));
                    }
                }
            }
        }
        if (counting) {
            answer.put("count", count);
        }
    }

    /** Adds "schema", the newest schema file as stored, and "snapshot", the latest snapshot's id or 0. */
    static void schema(FileStoreTable table, ObjectNode answer) {
        answer.put("schema", table.schemaManager().latest().get().toString());
        answer.put("snapshot", table.latestSnapshot().map(s -> s.id()).orElse(0L));
    }

    private static Predicate filter(RowType type, JsonNode json) {
        PredicateBuilder builder = new PredicateBuilder(type);
        int i = type.getFieldIndex(json.get("column").textValue());
        List<Object> values = new ArrayList<>();
        JsonNode value = json.get("value");
        values.add(Values.decode(value, type.getTypeAt(i)));
        switch (json.get("op").textValue()) {
            case "=": return builder.equal(i, values.get(0));
            case "<": return builder.lessThan(i, values.get(0));
            case "<=": return builder.lessOrEqual(i, values.get(0));
            case ">": return builder.greaterThan(i, values.get(0));
            case ">=": return builder.greaterOrEqual(i, values.get(0));
            case "is null": return builder.isNull(i);
            case "is not null": return builder.isNotNull(i);
            default: throw new IllegalArgumentException("no operator " + json.get("op"));
        }
    }
}
