import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Map;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.CoreOptions;
import org.apache.flink.configuration.DeploymentOptions;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.RestOptions;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.minicluster.MiniClusterConfiguration;
import org.apache.flink.table.api.EnvironmentSettings;
import org.apache.flink.table.api.TableEnvironment;
import org.apache.flink.types.Row;
import org.apache.flink.util.CloseableIterator;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.ObjectMapper;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.node.ArrayNode;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.node.JsonNodeFactory;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * Answers queries over a Paimon warehouse by Flink SQL in batch mode: FlinkQueries WAREHOUSE. A line of input is
 * {"sql": "..."}, a line of output {"rows": [[...], ...]} or {"error": "..."}. All run in one cluster, one after another.
 * Values are encoded as ../../README.md says; timestamps have as many decimals as they need.
 */
public final class FlinkQueries {
    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;
    private static final DateTimeFormatter SECONDS = DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss");

    public static void main(String[] args) throws Exception {
        PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
        System.setOut(System.err);
        Configuration conf = new Configuration();
        conf.set(RestOptions.BIND_PORT, "0");
        conf.set(RestOptions.ADDRESS, "localhost");
        conf.set(TaskManagerOptions.MANAGED_MEMORY_SIZE, MemorySize.ofMebiBytes(256));
        conf.set(CoreOptions.DEFAULT_PARALLELISM, 1);
        // A busy machine is no reason to give the one task manager up.
        conf.setString("heartbeat.timeout", "600000");
        MiniCluster cluster = new MiniCluster(new MiniClusterConfiguration.Builder()
                .setConfiguration(conf).setNumTaskManagers(1).setNumSlotsPerTaskManager(8).build());
        cluster.start();
        conf.set(DeploymentOptions.TARGET, "remote");
        conf.set(RestOptions.ADDRESS, cluster.getRestAddress().get().getHost());
        conf.set(RestOptions.PORT, cluster.getRestAddress().get().getPort());
        TableEnvironment env = TableEnvironment.create(
                EnvironmentSettings.newInstance().inBatchMode().withConfiguration(conf).build());
        env.getConfig().set("table.local-time-zone", "UTC");
        env.executeSql("CREATE CATALOG paimon WITH ('type'='paimon', 'warehouse'='"
                + Path.of(args[0]).toAbsolutePath().toUri() + "')");
        env.executeSql("USE CATALOG paimon");
        ObjectMapper mapper = new ObjectMapper();
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            ObjectNode answer = JSON.objectNode();
            try (CloseableIterator<Row> rows = env.executeSql(mapper.readTree(line).get("sql").asText()).collect()) {
                ArrayNode list = JSON.arrayNode();
                while (rows.hasNext()) {
                    list.add(encode(rows.next()));
                }
                answer.set("rows", list);
            } catch (Throwable e) {
                Throwable cause = e;
                while (cause.getCause() != null) {
                    cause = cause.getCause();
                }
                answer.put("error", cause.getClass().getSimpleName() + ": " + cause.getMessage());
            }
            out.println(mapper.writeValueAsString(answer));
            out.flush();
        }
        // Without an orderly end of the cluster, which takes seconds and has nothing to save.
        Runtime.getRuntime().halt(0);
    }

    private static String moment(LocalDateTime t) {
        String fraction = String.format("%09d", t.getNano()).replaceAll("0+$", "");
        return t.format(SECONDS) + (fraction.isEmpty() ? "" : "." + fraction);
    }

    private static JsonNode encode(Object v) {
        if (v == null) {
            return JSON.nullNode();
        }
        if (v instanceof Boolean) {
            return JSON.booleanNode((Boolean) v);
        }
        if (v instanceof BigDecimal) {
            return JSON.textNode(((BigDecimal) v).toPlainString());
        }
        if (v instanceof Double || v instanceof Float) {
            double d = ((Number) v).doubleValue();
            return Double.isFinite(d) ? JSON.numberNode(new BigDecimal(v.toString())) : JSON.textNode(String.valueOf(d));
        }
        if (v instanceof Number) {
            return JSON.numberNode(((Number) v).longValue());
        }
        if (v instanceof LocalDateTime) {
            return JSON.textNode(moment((LocalDateTime) v));
        }
        if (v instanceof Instant) {
            return JSON.textNode(moment(LocalDateTime.ofInstant((Instant) v, ZoneOffset.UTC)));
        }
        if (v instanceof LocalTime) {
            return JSON.textNode(((LocalTime) v).format(DateTimeFormatter.ofPattern("HH:mm:ss")));
        }
        if (v instanceof LocalDate) {
            return JSON.textNode(v.toString());
        }
        if (v instanceof byte[]) {
            StringBuilder hex = new StringBuilder("0x");
            for (byte b : (byte[]) v) {
                hex.append(String.format("%02x", b));
            }
            return JSON.textNode(hex.toString());
        }
        ArrayNode list = JSON.arrayNode();
        if (v instanceof Row) {
            for (int i = 0; i < ((Row) v).getArity(); i++) {
                list.add(encode(((Row) v).getField(i)));
            }
        } else if (v instanceof Object[]) {
            for (Object o : (Object[]) v) {
                list.add(encode(o));
            }
        } else if (v.getClass().isArray()) {
            for (int i = 0; i < java.lang.reflect.Array.getLength(v); i++) {
                list.add(encode(java.lang.reflect.Array.get(v, i)));
            }
        } else if (v instanceof Map) {
            for (Map.Entry<?, ?> e : ((Map<?, ?>) v).entrySet()) {
                list.add(JSON.arrayNode().add(encode(e.getKey())).add(encode(e.getValue())));
            }
        } else {
            return JSON.textNode(v.toString());
        }
        return list;
    }
}
