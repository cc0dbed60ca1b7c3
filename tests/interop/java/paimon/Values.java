import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.paimon.data.BinaryString;
import org.apache.paimon.data.Decimal;
import org.apache.paimon.data.GenericArray;
import org.apache.paimon.data.GenericMap;
import org.apache.paimon.data.GenericRow;
import org.apache.paimon.data.InternalArray;
import org.apache.paimon.data.InternalMap;
import org.apache.paimon.data.InternalRow;
import org.apache.paimon.data.Timestamp;
import org.apache.paimon.data.variant.GenericVariant;
import org.apache.paimon.data.variant.Variant;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.JsonNode;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.node.ArrayNode;
import org.apache.paimon.shade.jackson2.com.fasterxml.jackson.databind.node.JsonNodeFactory;
import org.apache.paimon.types.ArrayType;
import org.apache.paimon.types.DataType;
import org.apache.paimon.types.DataTypes;
import org.apache.paimon.types.DecimalType;
import org.apache.paimon.types.LocalZonedTimestampType;
import org.apache.paimon.types.MapType;
import org.apache.paimon.types.MultisetType;
import org.apache.paimon.types.RowType;
import org.apache.paimon.types.TimeType;
import org.apache.paimon.types.TimestampType;

/**
 * Values as JSON, in both directions, by one encoding (../../README.md): numbers for integers and floats ("NaN",
 * "Infinity", "-Infinity" as text), text for decimals and everything that has a text form, "0x..." for bytes, arrays
 * for ARRAY and ROW, arrays of [key, value] for MAP and MULTISET.
 */
final class Values {
    private Values() {}

    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

    static ArrayNode encodeRow(InternalRow row, RowType type) {
        ArrayNode out = JSON.arrayNode();
        for (int i = 0; i < type.getFieldCount(); i++) {
            DataType t = type.getTypeAt(i);
            out.add(encode(row.isNullAt(i) ? null : InternalRow.createFieldGetter(t, i).getFieldOrNull(row), t));
        }
        return out;
    }

    static JsonNode encode(Object v, DataType type) {
        if (v == null) {
            return JSON.nullNode();
        }
        switch (type.getTypeRoot()) {
            case BOOLEAN:
                return JSON.booleanNode((Boolean) v);
            case TINYINT:
            case SMALLINT:
            case INTEGER:
            case BIGINT:
                return JSON.numberNode(((Number) v).longValue());
            case FLOAT: {
                float f = (Float) v;
                return Float.isFinite(f) ? JSON.numberNode(f) : JSON.textNode(String.valueOf(f));
            }
            case DOUBLE: {
                double d = (Double) v;
                return Double.isFinite(d) ? JSON.numberNode(d) : JSON.textNode(String.valueOf(d));
            }
            case DECIMAL: {
                BigDecimal d = ((Decimal) v).toBigDecimal().setScale(((DecimalType) type).getScale());
                return JSON.textNode(d.toPlainString());
            }
            case CHAR:
            case VARCHAR:
                return JSON.textNode(v.toString());
            case BINARY:
            case VARBINARY:
                return JSON.textNode(hex((byte[]) v));
            case DATE:
                return JSON.textNode(LocalDate.ofEpochDay((Integer) v).toString());
            case TIME_WITHOUT_TIME_ZONE: {
                LocalTime t = LocalTime.ofNanoOfDay((Integer) v * 1_000_000L);
                return JSON.textNode(clock(t, ((TimeType) type).getPrecision()));
            }
            case TIMESTAMP_WITHOUT_TIME_ZONE: {
                LocalDateTime t = ((Timestamp) v).toLocalDateTime();
                int p = ((TimestampType) type).getPrecision();
                return JSON.textNode(t.toLocalDate() + " " + clock(t.toLocalTime(), p));
            }
            case TIMESTAMP_WITH_LOCAL_TIME_ZONE: {
                LocalDateTime t = LocalDateTime.ofInstant(((Timestamp) v).toInstant(), ZoneOffset.UTC);
                int p = ((LocalZonedTimestampType) type).getPrecision();
                return JSON.textNode(t.toLocalDate() + "T" + clock(t.toLocalTime(), p) + "Z");
            }
            case ARRAY: {
                ArrayNode out = JSON.arrayNode();
                DataType e = ((ArrayType) type).getElementType();
                InternalArray a = (InternalArray) v;
                InternalArray.ElementGetter get = InternalArray.createElementGetter(e);
                for (int i = 0; i < a.size(); i++) {
                    out.add(encode(get.getElementOrNull(a, i), e));
                }
                return out;
            }
            case MAP:
            case MULTISET: {
                ArrayNode out = JSON.arrayNode();
                InternalMap m = (InternalMap) v;
                InternalArray.ElementGetter key = InternalArray.createElementGetter(keyType(type));
                InternalArray.ElementGetter value = InternalArray.createElementGetter(valueType(type));
                for (int i = 0; i < m.size(); i++) {
                    out.add(JSON.arrayNode()
                            .add(encode(key.getElementOrNull(m.keyArray(), i), keyType(type)))
                            .add(encode(value.getElementOrNull(m.valueArray(), i), valueType(type))));
                }
                return out;
            }
            case ROW:
                return encodeRow((InternalRow) v, (RowType) type);
            case VARIANT:
                return JSON.textNode(((Variant) v).toJson());
            default:
                throw new IllegalArgumentException("no encoding for " + type);
        }
    }

    static GenericRow decodeRow(JsonNode json, RowType type) {
        GenericRow row = new GenericRow(type.getFieldCount());
        for (int i = 0; i < type.getFieldCount(); i++) {
            row.setField(i, decode(json.get(i), type.getTypeAt(i)));
        }
        return row;
    }

    static Object decode(JsonNode json, DataType type) {
        if (json == null || json.isNull()) {
            return null;
        }
        switch (type.getTypeRoot()) {
            case BOOLEAN:
                return json.booleanValue();
            case TINYINT:
                return (byte) json.longValue();
            case SMALLINT:
                return (short) json.longValue();
            case INTEGER:
                return (int) json.longValue();
            case BIGINT:
                return json.longValue();
            case FLOAT:
                return Float.valueOf(json.asText());
            case DOUBLE:
                return Double.valueOf(json.asText());
            case DECIMAL: {
                DecimalType d = (DecimalType) type;
                return Decimal.fromBigDecimal(new BigDecimal(json.textValue()), d.getPrecision(), d.getScale());
            }
            case CHAR:
            case VARCHAR:
                return BinaryString.fromString(json.textValue());
            case BINARY:
            case VARBINARY:
                return unhex(json.textValue());
            case DATE:
                return (int) LocalDate.parse(json.textValue()).toEpochDay();
            case TIME_WITHOUT_TIME_ZONE:
                return (int) (LocalTime.parse(json.textValue()).toNanoOfDay() / 1_000_000L);
            case TIMESTAMP_WITHOUT_TIME_ZONE:
                return Timestamp.fromLocalDateTime(LocalDateTime.parse(json.textValue().replace(' ', 'T')));
            case TIMESTAMP_WITH_LOCAL_TIME_ZONE:
                return Timestamp.fromInstant(Instant.parse(json.textValue()));
            case ARRAY: {
                Object[] elements = new Object[json.size()];
                for (int i = 0; i < elements.length; i++) {
                    elements[i] = decode(json.get(i), ((ArrayType) type).getElementType());
                }
                return new GenericArray(elements);
            }
            case MAP:
            case MULTISET: {
                Map<Object, Object> m = new LinkedHashMap<>();
                for (JsonNode entry : json) {
                    m.put(decode(entry.get(0), keyType(type)), decode(entry.get(1), valueType(type)));
                }
                return new GenericMap(m);
            }
            case ROW:
                return decodeRow(json, (RowType) type);
            case VARIANT:
                return GenericVariant.fromJson(json.textValue());
            default:
                throw new IllegalArgumentException("no decoding for " + type);
        }
    }

    static List<String> names(JsonNode json) {
        List<String> out = new ArrayList<>();
        if (json != null) {
            json.forEach(n -> out.add(n.textValue()));
        }
        return out;
    }

    static Map<String, String> texts(JsonNode json) {
        Map<String, String> out = new LinkedHashMap<>();
        if (json != null) {
            json.fields().forEachRemaining(e -> out.put(e.getKey(), e.getValue().textValue()));
        }
        return out;
    }

    private static DataType keyType(DataType t) {
        return t instanceof MapType ? ((MapType) t).getKeyType() : ((MultisetType) t).getElementType();
    }

    private static DataType valueType(DataType t) {
        return t instanceof MapType ? ((MapType) t).getValueType() : DataTypes.INT();
    }

    private static String clock(LocalTime t, int precision) {
        String s = String.format("%02d:%02d:%02d", t.getHour(), t.getMinute(), t.getSecond());
        return precision == 0 ? s : s + "." + String.format("%09d", t.getNano()).substring(0, precision);
    }

    private static String hex(byte[] bytes) {
        StringBuilder b = new StringBuilder("0x");
        for (byte x : bytes) {
            b.append(String.format("%02x", x));
        }
        return b.toString();
    }

    private static byte[] unhex(String text) {
        byte[] out = new byte[text.length() / 2 - 1];
        for (int i = 0; i < out.length; i++) {
            out[i] = (byte) Integer.parseInt(text.substring(2 * i + 2, 2 * i + 4), 16);
        }
        return out;
    }
}
