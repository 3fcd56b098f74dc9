import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * A whole payment, from the token to the refund, with the JDK alone (17 or newer).
 *
 * <pre>
 *   . docs/samples/environment.sh
 *   java docs/samples/java/Sample.java            the payment
 *   java docs/samples/java/Sample.java receive    the receiver alone, for npm run check-receiver
 * </pre>
 */
public class Sample {

    // 1. The signature.

    /**
     * Whether a notification is genuine. The signature of Standard Webhooks covers the id, the time of this attempt and
     * the body: an old notification that somebody recorded does not pass. While a secret is being rotated there is one
     * signature for each secret.
     *
     * @param rawBody the bytes as they came: JSON that was parsed and written again has other bytes
     * @param secret the whole text, whsec_...
     * @param now epoch seconds
     */
    static boolean verify(byte[] rawBody, String id, String timestamp, String signatures, String secret, long now) {
        if (id == null || timestamp == null || signatures == null || !timestamp.matches("[0-9]{1,12}")) return false;
        if (Math.abs(now - Long.parseLong(timestamp)) > 300) return false;
        byte[] key = Base64.getDecoder().decode(secret.replaceFirst("^whsec_", ""));
        byte[] digest = hmac(key, (id + "." + timestamp + ".").getBytes(StandardCharsets.UTF_8), rawBody);
        String expected = "v1," + Base64.getEncoder().encodeToString(digest);
        boolean matches = false;
        for (String signature : signatures.split(" ")) matches |= equal(signature, expected);
        return matches;
    }

    /** The simpler scheme, X-Signature-SHA256: it covers the body and neither the id nor the time. */
    static boolean verifyBody(byte[] rawBody, String signature, String previous, String secret) {
        byte[] digest = hmac(secret.getBytes(StandardCharsets.UTF_8), rawBody);
        String expected = "sha256=" + HexFormat.of().formatHex(digest);
        return equal(signature, expected) | equal(previous, expected);
    }

    static byte[] hmac(byte[] key, byte[]... parts) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(key, "HmacSHA256"));
            for (byte[] part : parts) mac.update(part);
            return mac.doFinal();
        } catch (GeneralSecurityException impossible) {
            throw new IllegalStateException("Every JDK has HmacSHA256.", impossible);
        }
    }

    /** MessageDigest.isEqual takes the same time however much of a guess is right; String.equals does not. */
    static boolean equal(String given, String expected) {
        return given != null
                && MessageDigest.isEqual(given.getBytes(StandardCharsets.UTF_8), expected.getBytes(StandardCharsets.UTF_8));
    }

    // 2. The token. Keep it until shortly before it expires: a token for each call costs you a call each time.

    static final HttpClient http = HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(10)).build();
    static String keptToken = "";
    static Instant keptUntil = Instant.EPOCH;

    static String token() throws IOException, InterruptedException {
        if (Instant.now().isBefore(keptUntil)) return keptToken;
        Map<String, String> form = Map.of(
                "grant_type", "client_credentials",
                "client_id", setting("CLIENT_ID"),
                "client_secret", setting("CLIENT_SECRET"),
                "scope", setting("SCOPE"));
        String body = form.entrySet().stream()
                .map(field -> field.getKey() + "=" + URLEncoder.encode(field.getValue(), StandardCharsets.UTF_8))
                .collect(Collectors.joining("&"));
        HttpRequest request = HttpRequest.newBuilder(URI.create(setting("TOKEN_URL")))
                .header("content-type", "application/x-www-form-urlencoded")
                .timeout(Duration.ofSeconds(30))
                .POST(BodyPublishers.ofString(body))
                .build();
        HttpResponse<String> answer = http.send(request, BodyHandlers.ofString());
        if (answer.statusCode() != 200)
            throw new IllegalStateException("The token endpoint answered " + answer.statusCode() + ": " + answer.body());
        keptToken = text(answer.body(), "access_token");
        keptUntil = Instant.now().plusSeconds(number(answer.body(), "expires_in") - 60);
        return keptToken;
    }

    // 3. A call. After 429, 503 and 504, and when the connection broke, nobody knows whether the request took effect.
    //    Send the same request with the SAME idempotency key again: it cannot happen twice. A new key would pay twice.

    static final int ATTEMPTS_AT_MOST = 5;

    static String call(String method, String path, String body, String key) throws IOException, InterruptedException {
        for (int attempt = 1; ; attempt++) {
            HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(setting("BASE_URL") + path))
                    .header("authorization", "Bearer " + token())
                    .header("content-type", "application/json")
                    .timeout(Duration.ofSeconds(30))
                    .method(method, BodyPublishers.ofString(body));
            if (key != null) request.header("idempotency-key", key);
            double wait = 0.5 * Math.pow(2, attempt);
            try {
                HttpResponse<String> answer = http.send(request.build(), BodyHandlers.ofString());
                if (answer.statusCode() < 300) return answer.body();
                // "details" names every faulty field: write it to your log.
                boolean again = Set.of(429, 503, 504).contains(answer.statusCode());
                if (!again || attempt == ATTEMPTS_AT_MOST)
                    throw new IllegalStateException(
                            method + " " + path + " was answered " + answer.statusCode() + ": " + answer.body());
                wait = answer.headers().firstValue("retry-after").map(Double::parseDouble).orElse(wait);
            } catch (IOException broken) {
                if (attempt == ATTEMPTS_AT_MOST) throw broken;
            }
            Thread.sleep((long) (wait * 1000));
        }
    }

    // 4. The receiver. Verify the raw bytes, keep the notification, answer, and only then work: what you answer with 2xx
    //    is not sent again, and an answer after ten seconds is none.

    /** In your system: a table with the id as its key, written before you answer. */
    static final Set<String> seen = ConcurrentHashMap.newKeySet();
    static final List<String> received = new CopyOnWriteArrayList<>();

    static void receive(HttpExchange exchange) throws IOException {
        // In Spring: @RequestBody byte[] body; not a parsed object, which loses the bytes.
        byte[] raw = exchange.getRequestBody().readAllBytes();
        var headers = exchange.getRequestHeaders();
        String id = headers.getFirst("webhook-id");
        String timestamp = headers.getFirst("webhook-timestamp");
        String signatures = headers.getFirst("webhook-signature");
        long now = Instant.now().getEpochSecond();
        if (!verify(raw, id, timestamp, signatures, setting("WEBHOOK_SECRET"), now)) {
            say("refused", "not signed with our secret, or not now");
            exchange.sendResponseHeaders(401, -1);
            exchange.close();
            return;
        }
        // The same webhook-id is the same notification: it can arrive twice, and be resent.
        if (seen.add(id)) received.add(new String(raw, StandardCharsets.UTF_8));
        byte[] success = "{\"returnCode\":\"SUCCESS\"}".getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("content-type", "application/json");
        exchange.sendResponseHeaders(200, success.length);
        exchange.getResponseBody().write(success);
        exchange.close();
    }

    /** Notifications can overtake each other, so wait for the one that is meant, not for the next. */
    static String notified(String event, String orderId) throws InterruptedException {
        for (int looks = 0; looks < 600; looks++) {
            for (String one : received)
                if (event.equals(text(one, "event")) && orderId.equals(text(one, "id"))) return one;
            Thread.sleep(100);
        }
        throw new IllegalStateException(event + " did not come. GET /order/v1/webhook/deliveries says why.");
    }

    // 5. The payment.

    static void pay(String receiverUrl) throws IOException, InterruptedException {
        String events = List.of("PAYIN", "PAYIN_REFUND").stream()
                .map(type -> "{\"type\":\"" + type + "\",\"endpoint\":\"" + receiverUrl + "\"}")
                .collect(Collectors.joining(","));
        call("PUT", "/order/v1/webhook", "{\"events\":[" + events + "]}", null);
        say("receiver", receiverUrl);

        // Amounts are texts: 29.90 as a binary fraction is not 29.90.
        String body = """
                {
                  "externalId": "sample-%s",
                  "accountId": "%s",
                  "amount": { "currency": "BRL", "value": "29.90" },
                  "description": "Caf\u00e9 da manh\u00e3",
                  "payer": { "name": "Maria Souza", "document": { "type": "CPF", "number": "52998224725" } }
                }""".formatted(UUID.randomUUID(), setting("ACCOUNT_ID"));
        // Write the key down with the order, before the call: after a crash you repeat the call with the same key.
        String order = call("POST", "/order/v1/banking/order-payins", body, UUID.randomUUID().toString());
        String id = text(order, "id");
        say("pay-in", id + " " + text(order, "status"));
        say("QR code", text(order, "qrcodeData"));

        // Your customer pays in their bank's app. Here the simulation tool plays the bank.
        call("PUT", "/order-tools/v1/order/status", "{\"id\":\"" + id + "\",\"status\":\"PAID\"}", null);
        notified("ORDER-PAYIN.PAID", id);
        say("paid", "ORDER-PAYIN.PAID came, and its signature is good");

        String refund = call(
                "POST",
                "/order/v1/banking/order-payins/" + id + "/refunds",
                "{\"description\":\"Pedido cancelado\"}",
                UUID.randomUUID().toString());
        say("refund", text(refund, "refundId") + " " + text(refund, "status"));

        call("PUT", "/order-tools/v1/order/status", "{\"id\":\"" + id + "\",\"status\":\"REFUNDED\"}", null);
        String told = notified("ORDER-PAYIN.REFUNDED", id);
        if (!text(refund, "refundId").equals(text(told, "refundId")))
            throw new IllegalStateException("Another refund was told of: " + text(told, "refundId") + ".");
        say("refunded", "ORDER-PAYIN.REFUNDED came, and its signature is good");
    }

    // The JDK reads no JSON. These two find the first field of a name, which is enough here; use your JSON library.

    static String text(String json, String name) {
        Matcher found = Pattern.compile("\"" + name + "\"\\s*:\\s*\"((?:[^\"\\\\]|\\\\.)*)\"").matcher(json);
        return found.find() ? found.group(1) : null;
    }

    static long number(String json, String name) {
        Matcher found = Pattern.compile("\"" + name + "\"\\s*:\\s*([0-9]+)").matcher(json);
        return found.find() ? Long.parseLong(found.group(1)) : 0;
    }

    static void say(String what, String value) {
        System.out.printf("%-16s %s%n", what, value);
    }

    static String setting(String name) {
        String value = System.getenv(name);
        if (value == null || value.isEmpty())
            throw new IllegalStateException(name + " is not set: . docs/samples/environment.sh");
        return value;
    }

    public static void main(String[] args) throws Exception {
        int port = Integer.parseInt(System.getenv().getOrDefault("RECEIVER_PORT", "4000"));
        HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", port), 0);
        server.createContext("/", Sample::receive);
        server.setExecutor(Executors.newCachedThreadPool());
        server.start();
        say("listening", "ready for notifications");
        if (args.length > 0 && args[0].equals("receive")) return;
        try {
            pay(System.getenv().getOrDefault("RECEIVER_URL", "http://127.0.0.1:" + port + "/notifications"));
            System.exit(0);
        } catch (Exception failure) {
            System.err.println(failure.getMessage());
            System.exit(1);
        }
    }
}
