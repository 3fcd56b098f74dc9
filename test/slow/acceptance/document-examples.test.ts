import { expect, test } from 'vitest';
import { GetKeyCode } from '#functions/order-tools/get-key-code/contract.ts';
import { exampleOf } from '#tools/docs/operation.ts';
import type { exampleIds } from '#shared/contract/examples.ts';
import { readResponse } from '@banking-order/partner-tools';
import { activeAccount, eventually, second } from '#test/acceptance/partners.ts';
import type { Named } from '#test/acceptance/requests.ts';
import { everyRoute, unknownIds } from '#test/acceptance/requests.ts';

/**
 * A story in which every example can be sent: each resource is there, in the right status, when it is named. Behind the
 * operation stands what its answer names for those that follow.
 */
const story: readonly (readonly [operationId: string, names?: keyof typeof exampleIds, field?: string])[] = [
  ['listAccounts'],
  ['replaceWebhookSettings'],
  ['getWebhookSettings'],
  ['listWebhookEndpoints'],
  ['releaseWebhookEndpoint'],
  ['rotateWebhookSecret'],
  ['createSubscription', 'subscriptionId'],
  ['forceSubscriptionStatus'],
  ['getSubscription'],
  ['listSubscriptions'],
  ['updateSubscription'],
  ['createScheduledPayment', 'paymentId'],
  ['getScheduledPayment'],
  ['listScheduledPayments'],
  ['forceScheduledPaymentStatus'],
  ['cancelScheduledPayment'],
  ['cancelSubscription'],
  ['createPayIn', 'payInId'],
  ['cancelPayIn'],
  ['createPayIn', 'payInId'],
  ['forceOrderStatus'],
  ['getPayIn'],
  ['listPayIns'],
  ['refundPayIn', 'refundId', 'refundId'],
  ['listRefunds'],
  ['getRefundCertificate'],
  ['receiveCredit', 'creditId'],
  ['getCredit'],
  ['listCredits'],
  ['returnCredit'],
  ['receiveCredit', 'creditId'],
  ['createPayIn', 'payInId'],
  ['assignCredit'],
  ['receiveCredit', 'creditId'],
  ['forceDisputeStatus', 'disputeId'],
  ['getDispute'],
  ['listDisputes'],
  ['defendDispute'],
  ['createPayout', 'payoutId'],
  ['getPayout'],
  ['getPayoutCertificate'],
  ['listPayouts'],
  ['getBalance'],
  ['getCapabilities'],
  ['listEntries'],
  ['listStatementRoots'],
  ['createPixKey', 'validationId', 'validationId'],
  ['getKeyCode'],
  ['confirmPixKey'],
  ['listPixKeys'],
  ['removePixKey'],
  ['createPixKey', 'validationId', 'validationId'],
  ['resendKeyCode'],
  ['testWebhook', 'deliveryId'],
  ['getWebhookDelivery'],
  ['listWebhookDeliveries'],
  ['resendWebhookDelivery'],
  ['resendWebhookDeliveries', 'resendId'],
  ['getWebhookResend'],
  ['setBankProfile'],
  ['getBankProfile'],
  ['getClock'],
  ['setClock'],
  ['resetClock'],
];

test('the story sends the example of every operation', () => {
  const sentOperations = new Set(story.map(([operationId]) => operationId));
  expect([...sentOperations].toSorted()).toEqual(
    everyRoute()
      .map(({ contract }) => contract.operationId)
      .toSorted(),
  );
});

test('the service accepts every example of the document, and answers with the status that it shows', async () => {
  const named: Record<keyof Named, string> = { ...unknownIds(), accountId: activeAccount(second).id };
  let code = '';
  for (const [operationId, names, field = 'id'] of story) {
    const { contract, ask } = everyRoute().find((route) => route.contract.operationId === operationId)!;
    if (operationId === 'getKeyCode') code = await sentCode(named);
    const asked = ask(named);
    const body = operationId === 'confirmPixKey' ? { ...(asked.body as object), code } : asked.body;
    const response = readResponse(contract, await second.answer(contract, { ...asked, body }), 'CLOSED');
    expect(response.status, operationId).toBe(exampleOf(contract).response.status);
    if (names) named[names] = String((response.body as Readonly<Record<string, unknown>>)[field]);
  }
});

/** The code goes out within a second or so. */
async function sentCode({ accountId, validationId }: Named): Promise<string> {
  const params = { accountId, validationId };
  await eventually(
    () => second.answer(GetKeyCode, { params }),
    ({ status }) => status === 200,
  );
  return (await second.call(GetKeyCode, { params })).body.code;
}
