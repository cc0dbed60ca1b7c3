import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.paimon.CoreOptions;
import org.apache.paimon.catalog.Catalog;
import org.apache.paimon.catalog.Identifier;
import org.apache.paimon.crosspartition.GlobalIndexAssigner;
import org.apache.paimon.crosspartition.IndexBootstrap;
import org.apache.paimon.data.BinaryRow;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.disk.IOManager;
import org.apache.paimon.index.BucketAssigner;
import org.apache.paimon.index.HashBucketAssigner;
import org.apache.paimon.index.SimpleHashBucketAssigner;
import org.apache.paimon.schema.Schema;
import org.apache.paimon.schema.SchemaChange;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.paimon.table.BucketMode;
import org.apache.paimon.table.FileStoreTable;
import org.apache.paimon.table.SpecialFields;
import org.apache.paimon.table.sink.BatchTableCommit;
import org.apache.paimon.table.sink.BatchWriteBuilder;
import org.apache.paimon.table.sink.RowPartitionKeyExtractor;
import org.apache.paimon.table.sink.StreamTableCommit;
import org.apache.paimon.table.sink.StreamWriteBuilder;
import org.apache.paimon.table.sink.TableWriteImpl;
import org.apache.paimon.table.source.DataSplit;
import org.apache.paimon.types.DataType;
import org.apache.paimon.types.DataTypeJsonParser;
import org.apache.paimon.types.RowKind;
import org.apache.paimon.types.RowType;

/** Changes a table: creates it, writes and overwrites rows, alters its schema, compacts it. */
final class Write {
    private Write() {}

    /** "columns": [{"name", "type"}] with types as in schema files, "primary_keys", "partition_keys", "options". */
    static void create(Catalog catalog, Identifier id, JsonNode command) throws Exception {
        Schema.Builder schema = Schema.newBuilder();
        // One count of field ids for all columns, nested ones too, as the catalog would give them.
        AtomicInteger fieldId = new AtomicInteger(-1);
        for (JsonNode column : command.get("columns")) {
            schema.column(column.get("name").textValue(), type(column.get("type"), fieldId));
        }
        schema.primaryKey(Values.names(command.get("primary_keys")));
        schema.partitionKeys(Values.names(command.get("partition_keys")));
        schema.options(Values.texts(command.get("options")));
        if (command.has("comment")) {
            schema.comment(command.get("comment").textValue());
        }
        catalog.createDatabase(id.getDatabaseName(), true);
        catalog.createTable(id, schema.build(), false);
    }

    /**
     * Writes "rows" (plain arrays, or {"kind", "row"}) in one commit. "overwrite": {} replaces the table or, with
     * dynamic overwrite, the partitions written; {"p": "x"} replaces that partition. "tracked": rows end with their id
     * and their sequence number, as a rewrite of a table with row tracking stores them.
     */
    static void rows(FileStoreTable table, JsonNode command) throws Exception {
        BatchWriteBuilder builder = table.newBatchWriteBuilder();
        boolean overwrite = command.has("overwrite");
        if (overwrite) {
            builder.withOverwrite(Values.texts(command.get("overwrite")));
        }
        boolean dynamic = table.bucketMode() == BucketMode.HASH_DYNAMIC;
        RowPartitionKeyExtractor keys = new RowPartitionKeyExtractor(table.schema());
        BucketAssigner assigner = dynamic ? assigner(table, overwrite) : null;
        try (IOManager spill = IOManager.create(System.getProperty("java.io.tmpdir"));
                TableWriteImpl<?> write = (TableWriteImpl<?>) builder.newWrite();
                BatchTableCommit commit = builder.newCommit()) {
            write.withIOManager(spill);
            RowType type = table.rowType();
            if (command.has("tracked")) {
                type = SpecialFields.rowTypeWithRowTracking(type, true, true);
                write.withWriteType(type);
            }
            for (JsonNode item : command.get("rows")) {
                GenericRow row = Values.decodeRow(item.isObject() ? item.get("row") : item, type);
                row.setRowKind(item.isObject() ? RowKind.fromShortString(item.get("kind").textValue()) : RowKind.INSERT);
                if (dynamic) {
                    BinaryRow partition = keys.partition(row).copy();
                    write.write(row, assigner.assign(partition, keys.trimmedPrimaryKey(row).hashCode()));
                } else {
                    write.write(row);
                }
            }
            if (dynamic) {
                assigner.prepareCommit(BatchWriteBuilder.COMMIT_IDENTIFIER);
            }
            commit.commit(write.prepareCommit());
        }
    }

    /**
     * Carries out "operations" one after the other with one writer that stays open: {"rows": [{"kind", "row"}, ...]} writes
     * them in a commit, {"compact": true} compacts all, with "rows" in their commit. Keys may move between partitions.
     */
    static void session(FileStoreTable table, JsonNode command) throws Exception {
        if (table.bucketMode() == BucketMode.KEY_DYNAMIC
                && table.coreOptions().mergeEngine() == CoreOptions.MergeEngine.DEDUPLICATE) {
            // Which would undo the kind of the rows that leave a partition.
            Map<String, String> options = new HashMap<>(table.options());
            options.remove("rowkind.field");
            table = table.copy(table.schema().copy(options));
        }
        StreamWriteBuilder builder = table.newStreamWriteBuilder();
        RowPartitionKeyExtractor keys = new RowPartitionKeyExtractor(table.schema());
        Set<List<Object>> written = new HashSet<>();
        long identifier = 0;
        try (IOManager spill = IOManager.create(System.getProperty("java.io.tmpdir"));
                TableWriteImpl<?> write = (TableWriteImpl<?>) builder.newWrite();
                StreamTableCommit commit = builder.newCommit();
                GlobalIndexAssigner places = places(table, spill, write, written)) {
            write.withIOManager(spill);
            BucketAssigner assigner = table.bucketMode() == BucketMode.HASH_DYNAMIC ? assigner(table, false) : null;
            for (JsonNode operation : command.get("operations")) {
                written.clear();
                for (JsonNode item : operation.path("rows")) {
                    GenericRow row = Values.decodeRow(item.get("row"), table.rowType());
                    row.setRowKind(RowKind.fromShortString(item.get("kind").textValue()));
                    if (places != null) {
                        places.processInput(row);
                        continue;
                    }
                    BinaryRow partition = keys.partition(row).copy();
                    int bucket = assigner == null
                            ? write.getBucket(row)
                            : assigner.assign(partition, keys.trimmedPrimaryKey(row).hashCode());
                    write.write(row, bucket);
                    written.add(List.of(partition, bucket));
                }
                if (operation.has("compact")) {
                    for (DataSplit s : table.newSnapshotReader().read().dataSplits()) {
                        written.add(List.of(s.partition(), s.bucket()));
                    }
                    for (List<Object> place : written) {
                        write.compact((BinaryRow) place.get(0), (Integer) place.get(1), true);
                    }
                }
                if (assigner != null) {
                    assigner.prepareCommit(identifier);
                }
                commit.commit(identifier, write.prepareCommit(true, identifier));
                identifier++;
            }
        }
    }

    /** Writes rows whose keys may move between partitions and notes their places in `written`; null for other tables. */
    private static GlobalIndexAssigner places(FileStoreTable table, IOManager spill, TableWriteImpl<?> write,
            Set<List<Object>> written) throws Exception {
        if (table.bucketMode() != BucketMode.KEY_DYNAMIC) {
            return null;
        }
        GlobalIndexAssigner places = new GlobalIndexAssigner(table);
        places.open(1 << 20, spill, 1, 0, (row, bucket) -> {
            try {
                write.write(row, bucket);
                written.add(List.of(write.getPartition(row).copy(), bucket));
            } catch (Exception e) {
                throw new RuntimeException(e);
            }
        });
        new IndexBootstrap(table).bootstrap(1, 0, row -> {
            try {
                places.bootstrapKey(row);
            } catch (Exception e) {
                throw new RuntimeException(e);
            }
        });
        places.endBoostrap(false);
        return places;
    }

    private static BucketAssigner assigner(FileStoreTable table, boolean overwrite) {
        long rows = table.coreOptions().dynamicBucketTargetRowNum();
        return overwrite
                ? new SimpleHashBucketAssigner(1, 0, rows, -1)
                : new HashBucketAssigner(table.snapshotManager(), UUID.randomUUID().toString(),
                        table.store().newIndexFileHandler(), 1, 1, 0, rows, -1);
    }

    /** Compacts every bucket that has files, fully. */
    static void compact(FileStoreTable table) throws Exception {
        FileStoreTable writable = table.copy(Map.of("write-only", "false"));
        BatchWriteBuilder builder = writable.newBatchWriteBuilder();
        try (IOManager spill = IOManager.create(System.getProperty("java.io.tmpdir"));
                TableWriteImpl<?> write = (TableWriteImpl<?>) builder.newWrite();
                BatchTableCommit commit = builder.newCommit()) {
            write.withIOManager(spill);
            Set<List<Object>> seen = new HashSet<>();
            // Not the plan of a batch read: that of a first-row table leaves level 0 out.
            for (DataSplit s : table.newSnapshotReader().read().dataSplits()) {
                if (seen.add(List.of(s.partition(), s.bucket()))) {
                    write.compact(s.partition(), s.bucket(), true);
                }
            }
            commit.commit(write.prepareCommit());
        }
    }

    /**
     * "changes": [{"add", "type", "after"|"first"}, {"drop"}, {"rename", "to"}, {"retype", "type"},
     * {"move", "after"|"first"}, {"nullable"}, {"set", "value"}, {"reset"}]. A nested column is a list of names.
     */
    static void alter(Catalog catalog, Identifier id, JsonNode command) throws Exception {
        List<SchemaChange> changes = new ArrayList<>();
        for (JsonNode c : command.get("changes")) {
            if (c.has("add")) {
                changes.add(SchemaChange.addColumn(path(c.get("add")), type(c.get("type"), new AtomicInteger(-1)), null, move(c, "add")));
            } else if (c.has("drop")) {
                changes.add(SchemaChange.dropColumn(path(c.get("drop"))));
            } else if (c.has("rename")) {
                changes.add(SchemaChange.renameColumn(path(c.get("rename")), c.get("to").textValue()));
            } else if (c.has("retype")) {
                changes.add(SchemaChange.updateColumnType(path(c.get("retype")), type(c.get("type"), new AtomicInteger(-1)), true));
            } else if (c.has("move")) {
                changes.add(SchemaChange.updateColumnPosition(move(c, "move")));
            } else if (c.has("nullable")) {
                changes.add(SchemaChange.updateColumnNullability(path(c.get("nullable")), true));
            } else if (c.has("set")) {
                changes.add(SchemaChange.setOption(c.get("set").textValue(), c.get("value").textValue()));
            } else if (c.has("reset")) {
                changes.add(SchemaChange.removeOption(c.get("reset").textValue()));
            } else {
                throw new IllegalArgumentException("no change " + c);
            }
        }
        catalog.alterTable(id, changes, false);
    }

    private static SchemaChange.Move move(JsonNode c, String key) {
        String name = path(c.get(key))[path(c.get(key)).length - 1];
        if (c.path("first").asBoolean()) {
            return SchemaChange.Move.first(name);
        }
        return c.has("after") ? SchemaChange.Move.after(name, c.get("after").textValue()) : null;
    }

    private static String[] path(JsonNode json) {
        return json.isArray() ? Values.names(json).toArray(new String[0]) : new String[] {json.textValue()};
    }

    private static DataType type(JsonNode json, AtomicInteger fieldId) {
        return DataTypeJsonParser.parseDataType(json, fieldId);
    }
}
