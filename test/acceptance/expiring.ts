import { GetPayIn } from '#functions/pay-ins/get/contract.ts';
import { GetDelivery } from '#functions/webhooks/get-delivery/contract.ts';
import { ListDeliveries } from '#functions/webhooks/list-deliveries/contract.ts';
import { environment, eventually, first } from './partners.ts';

/** The pay-in of the first company that expires by itself, a minute after the environment began. */
const { id, expireDateTime } = environment.expiring;

/** Reads the pay-in as soon as it has expired, or the last one that was read. */
export async function expiredPayIn() {
  const read = async () => (await first.call(GetPayIn, { params: { id } })).body;
  const patience = Date.parse(expireDateTime) + 200_000 - Date.now();
  return eventually(read, ({ status }) => status !== 'PENDING', patience);
}

/** Reads the deliveries of its expiry as soon as one has left the queue; a resend is none of them. */
export async function expiryDeliveries() {
  const read = async () => {
    const { body } = await first.call(ListDeliveries, { query: { resourceId: id } });
    const expiries = body.data.filter(({ event }) => event === 'ORDER-PAYIN.EXPIRED');
    const records = await Promise.all(expiries.map((entry) => first.call(GetDelivery, { params: { id: entry.id } })));
    return records.map((record) => record.body).filter(({ resendOf }) => resendOf === undefined);
  };
  return eventually(read, ([one]) => one !== undefined && one.status !== 'PENDING');
}
