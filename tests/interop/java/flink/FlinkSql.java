import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.table.api.EnvironmentSettings;
import org.apache.flink.table.api.TableEnvironment;

/**
 * Runs SQL files, one after another, against a Paimon warehouse in an embedded Flink, in batch mode, with one task at a
 * time: FlinkSql WAREHOUSE FILE.sql... Statements end with ';' at the end of a line. A line "-- may fail" lets the next
 * statement be refused. Results of queries are not printed; the Java API of Interop reads the tables.
 */
public final class FlinkSql {
    public static void main(String[] args) throws Exception {
        PrintStream out = System.out;
        TableEnvironment env = TableEnvironment.create(EnvironmentSettings.inBatchMode());
        env.getConfig().set("parallelism.default", "1");
        env.getConfig().set("table.local-time-zone", "UTC");
        String warehouse = Path.of(args[0]).toAbsolutePath().toUri().toString();
        env.executeSql("CREATE CATALOG paimon WITH ('type'='paimon', 'warehouse'='" + warehouse + "')");
        env.executeSql("USE CATALOG paimon");
        int failed = 0;
        for (int i = 1; i < args.length; i++) {
            for (String sql : statements(Files.readString(Path.of(args[i]), StandardCharsets.UTF_8))) {
                boolean mayFail = sql.startsWith(MAY_FAIL);
                String text = mayFail ? sql.substring(MAY_FAIL.length()) : sql;
                try {
                    // Each job runs in a cluster of its own that ends with it, so nothing is collected afterwards.
                    env.executeSql(text).await();
                } catch (Exception e) {
                    Throwable t = e;
                    while (t.getCause() != null) {
                        t = t.getCause();
                    }
                    out.println((mayFail ? "refused: " : "FAILED: ") + text + "\n    " + t.toString().split("\n")[0]);
                    failed += mayFail ? 0 : 1;
                }
            }
        }
        out.flush();
        System.exit(failed == 0 ? 0 : 1);
    }

    private static final String MAY_FAIL = "-- may fail";

    /** Cuts a file at lines that end with ';', drops comment lines, keeps a "-- may fail" line before its statement. */
    private static List<String> statements(String text) {
        List<String> found = new ArrayList<>();
        StringBuilder current = new StringBuilder();
        String prefix = "";
        for (String line : text.split("\n")) {
            if (line.strip().equals(MAY_FAIL)) {
                prefix = MAY_FAIL;
            } else if (current.length() > 0 || !line.startsWith("--")) {
                current.append(line).append('\n');
            }
            if (line.stripTrailing().endsWith(";") && current.length() > 0) {
                String sql = current.toString().strip();
                found.add(prefix + sql.substring(0, sql.length() - 1));
                current.setLength(0);
                prefix = "";
            }
        }
        return found;
    }
}
