import java.util.UUID;
import org.openapitools.client.ApiClient;
import org.openapitools.client.api.AccountsApi;

/** Reads a balance through a generated client, and tells when it last changed. */
public class ReadBalance {
  public static void main(String[] args) throws Exception {
    ApiClient client = new ApiClient();
    client.updateBaseUri(args[0]);
    client.setRequestInterceptor(request -> request.header("Authorization", "Bearer " + args[1]));
    System.out.println(new AccountsApi(client).getBalance(UUID.fromString(args[2]), null).getUpdatedAt().toInstant());
  }
}
