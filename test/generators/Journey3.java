import java.net.URI;
import java.time.LocalDate;
import java.util.UUID;
import org.openapitools.client.ApiClient;
import org.openapitools.client.api.PayInsApi;
import org.openapitools.client.api.SimulationToolsApi;
import org.openapitools.client.api.SubscriptionsApi;
import org.openapitools.client.model.*;

/** Plays journey 3 with its refund through a generated client, and tells what it reads: the id, each status, the last change. */
public class Journey3 {
  public static void main(String[] args) throws Exception {
    ApiClient client = new ApiClient();
    client.updateBaseUri(args[0]);
    client.setRequestInterceptor(request -> request.header("Authorization", "Bearer " + args[1]));
    SubscriptionsApi subscriptions = new SubscriptionsApi(client);
    PayInsApi payIns = new PayInsApi(client);
    SimulationToolsApi tools = new SimulationToolsApi(client);

    DocumentInput cpf = new DocumentInput().type(DocumentInput.TypeEnum.CPF).number("52998224725");
    AmountInput amount = new AmountInput().currency(AmountInput.CurrencyEnum.BRL).value(new AmountValue("29.90"));
    CreatedSubscription subscription =
        subscriptions.createSubscription(
            new CreateSubscriptionRequest()
                .accountId(UUID.fromString(args[2]))
                .type(CreateSubscriptionRequest.TypeEnum.AUTHORIZATION_QRCODE_IMMEDIATE_PAYMENT)
                .externalId("contract-" + UUID.randomUUID())
                .webhookUrl(URI.create(args[3]))
                .frequencyType(CreateSubscriptionRequest.FrequencyTypeEnum.MONTHLY)
                .startDate(LocalDate.of(2030, 1, 10))
                .debtor(new PartyInput().name("Maria Souza").document(cpf))
                .initialCharge(new InitialChargeInput().amount(amount)),
            UUID.randomUUID().toString(),
            null);
    String charge = subscription.getInitialCharge().getOrderId().toString();
    String told = subscription.getStatus() + " " + payIns.getPayIn(charge, null, null).getStatus();
    tools.forceOrderStatus(
        new ForceOrderStatusRequest().id(charge).status(ForceOrderStatusRequest.StatusEnum.PAID), null);
    told += " " + payIns.getPayIn(charge, null, null).getStatus();
    told +=
        " " + payIns.refundPayIn(charge, UUID.randomUUID().toString(), null, new RefundPayInRequest()).getStatus();
    tools.forceOrderStatus(
        new ForceOrderStatusRequest().id(charge).status(ForceOrderStatusRequest.StatusEnum.REFUNDED), null);
    told += " " + payIns.getPayIn(charge, null, null).getStatus();
    tools.forceSubscriptionStatus(
        new ForceSubscriptionStatusRequest()
            .id(subscription.getId())
            .status(ForceSubscriptionStatusRequest.StatusEnum.ACCEPTED),
        null);
    SubscriptionRecord accepted = subscriptions.getSubscription(subscription.getId(), null);
    told += " " + accepted.getStatus() + " " + accepted.getUpdatedAt().toInstant().toEpochMilli();
    System.out.println(accepted.getId() + " " + told);
  }
}
