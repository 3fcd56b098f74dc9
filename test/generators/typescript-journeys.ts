const body = `{
    accountId,
    type: 'AUTHORIZATION_QRCODE_IMMEDIATE_PAYMENT',
    externalId: \`contract-\${crypto.randomUUID()}\`,
    webhookUrl,
    frequencyType: 'MONTHLY',
    startDate: START,
    debtor: { name: 'Maria Souza', document: { type: 'CPF', number: '52998224725' } },
    initialCharge: { amount: { currency: 'BRL', value: '29.90' } },
  }`;

const prelude = `const [baseUrl = '', token = '', accountId = '', webhookUrl = ''] = process.argv.slice(2);
const key = () => crypto.randomUUID();
const tell = (...words: (string | number)[]) => console.log(words.join(' '));
`;

/** Journey 3 with its refund, by the client of openapi-generator. */
export const withOpenApiGenerator = `
import { Configuration, PayInsApi, SimulationToolsApi, SubscriptionsApi } from './index';
${prelude}
const configuration = new Configuration({ basePath: baseUrl, accessToken: \`Bearer \${token}\` });
const subscriptions = new SubscriptionsApi(configuration);
const payIns = new PayInsApi(configuration);
const tools = new SimulationToolsApi(configuration);
const subscription = await subscriptions.createSubscription({
  idempotencyKey: key(),
  createSubscriptionRequest: ${body.replace('START', "new Date('2030-01-10')")},
});
const id = subscription.initialCharge!.orderId!;
const { status: before } = await payIns.getPayIn({ id });
await tools.forceOrderStatus({ forceOrderStatusRequest: { id, status: 'PAID' } });
const { status: paid } = await payIns.getPayIn({ id });
const { status: refund } = await payIns.refundPayIn({ id, idempotencyKey: key(), refundPayInRequest: {} });
await tools.forceOrderStatus({ forceOrderStatusRequest: { id, status: 'REFUNDED' } });
const { status: refunded } = await payIns.getPayIn({ id });
await tools.forceSubscriptionStatus({ forceSubscriptionStatusRequest: { id: subscription.id, status: 'ACCEPTED' } });
const after = await subscriptions.getSubscription({ id: subscription.id });
tell(after.id, subscription.status, before, paid, refund, refunded, after.status, after.updatedAt!.getTime());
`;

/** The same by openapi-fetch, with the types of openapi-typescript. */
export const withOpenApiTypescript = `
import createClient from 'openapi-fetch';
import type { paths } from './types';
${prelude}
const client = createClient<paths>({ baseUrl, headers: { authorization: \`Bearer \${token}\` } });
function dataOf<T>({ data, error }: { data?: T; error?: unknown }): T {
  if (data === undefined) throw new Error(JSON.stringify(error));
  return data;
}
const header = () => ({ 'idempotency-key': key() });
const subscription = dataOf(
  await client.POST('/order/v1/banking/subscriptions', { params: { header: header() }, body: ${body.replace('START', "'2030-01-10'")} }),
);
const id = subscription.initialCharge!.orderId!;
const payIn = async () => dataOf(await client.GET('/order/v1/banking/order-payins/{id}', { params: { path: { id } } })).status;
const bank = async (status: 'PAID' | 'REFUNDED') =>
  dataOf(await client.PUT('/order-tools/v1/order/status', { body: { id, status } }));
const before = await payIn();
await bank('PAID');
const paid = await payIn();
const refund = dataOf(
  await client.POST('/order/v1/banking/order-payins/{id}/refunds', { params: { path: { id }, header: header() }, body: {} }),
);
await bank('REFUNDED');
const refunded = await payIn();
dataOf(await client.PUT('/order-tools/v1/banking/subscription/status', { body: { id: subscription.id, status: 'ACCEPTED' } }));
const after = dataOf(await client.GET('/order/v1/banking/subscriptions/{id}', { params: { path: { id: subscription.id } } }));
tell(after.id, subscription.status, before, paid, refund.status, refunded, after.status, Date.parse(after.updatedAt!));
`;

/** The same by the client of hey-api. */
export const withHeyApi = `
import { client } from './client.gen';
import { createSubscription, forceOrderStatus, forceSubscriptionStatus, getPayIn, getSubscription, refundPayIn } from './sdk.gen';
${prelude}
client.setConfig({ baseUrl, auth: token });
const headers = () => ({ 'idempotency-key': key() });
const throwOnError = true;
const { data: subscription } = await createSubscription({
  throwOnError, headers: headers(), body: ${body.replace('START', "'2030-01-10'")},
});
const path = { id: subscription.initialCharge!.orderId! };
const payIn = async () => (await getPayIn({ throwOnError, path })).data.status;
const before = await payIn();
await forceOrderStatus({ throwOnError, body: { ...path, status: 'PAID' } });
const paid = await payIn();
const { data: refund } = await refundPayIn({ throwOnError, headers: headers(), path, body: {} });
await forceOrderStatus({ throwOnError, body: { ...path, status: 'REFUNDED' } });
const refunded = await payIn();
await forceSubscriptionStatus({ throwOnError, body: { id: subscription.id, status: 'ACCEPTED' } });
const { data: after } = await getSubscription({ throwOnError, path: { id: subscription.id } });
tell(after.id, subscription.status, before, paid, refund.status, refunded, after.status, Date.parse(after.updatedAt!));
`;
