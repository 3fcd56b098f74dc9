import { deflateRawSync, inflateRawSync } from 'node:zlib';
import * as z from 'zod';

/**
 * What recurs in the texts that are packed, the most frequent last: a text refers to it and holds only what is its own.
 * Items that were packed with it are read for years, so it never changes: another one gets a version of its own.
 */
const recurring = [
  '"subscriptionId":"","settlementDate":"","dueDate":"","purpose":"FIRST_ATTEMPT","originalScheduledPaymentId":"',
  '"cancellation":{"id":"","status":"ACCEPTED","endToEndId":"","reason":"REQUESTED_BY_PAYER","canceledAt":"","customer":',
  '{"occurredAt":"","data":{"frequencyType":"MONTHLY","startDate":"","statusHistory":[{"status":"INITIAL","createdAt":"',
  '"},{"status":"PENDING_AUTHORIZATION","createdAt":"","qrcodeDetail":{"qrcodeData":"","cancellations":[]}}',
  '"SUBSCRIPTION.SCHEDULED_PAYMENT.COMPLETED","subscription":{"id":"","code":"","scheduledPayment":{"id":"","externalId":"',
  '"ORDER-PAYIN.REFUNDED","status":"REFUNDED","type":"REFUND","refundId":"","refundedAt":"","message":"","expiresAt":"',
  '"qrcodeData":"00020101021226840014br.gov.bcb.pix25/qr/v2/cob/5204000053039865802BR5913SAO PAULO62070503***6304',
  '"conciliationId":"","txid":"","internal":{"accountId":"","payInId":"","initiation":"DYNAMIC_QRCODE","idempotencyKey":"',
  '"errorMessage":"","message":"The payout failed; its amount is back in the account.","batch":{"transactionsCount":',
  '"ORDER-PAYIN.PAID","status":"PAID","controlNumber":null,"type":"PAY-IN","message":"The pay-in was paid.",',
  '"customerMessage":"Pagamento confirmado.","description":"","payer":{"name":"Maria da Silva Santos","document":{"type":"CNPJ",',
  '"name":"BANCO DO BRASIL S.A.","name":"NU PAGAMENTOS S.A. - INSTITUIÇÃO DE PAGAMENTO","name":"ITAÚ UNIBANCO S.A.",',
  '"accountType":"SAVINGS_ACCOUNT","accountType":"CHECKING_ACCOUNT","code":"001"}},"pix":{"type":"PHONE","key":"+5511',
  '"pix":{"type":"EMAIL","key":"@gmail.com","pix":{"type":"EVP","key":"","pix":{"type":"CPF","key":"',
  '{"initiation":"KEY","description":"Pagamento","receiver":{"name":"","document":{"type":"CPF","number":"',
  '{"id":"","code":"","event":"ORDER-PAYOUT.PAID","status":"PAID","paidAt":"2026-01-15T15:00:00.000Z","updatedAt":"2026-',
  '"endToEndId":"E","controlNumber":null,"type":"PAY-OUT","message":"The payout was paid.","description":"',
  '"amount":{"currency":"BRL","value":"100.00"},"ownerBank":{"name":"Ltda","document":"0001","bank":{"ispb":"",',
  '"branch":"0001","account":"","accountType":"PAYMENT_ACCOUNT"}},"receiver":{"name":"","document":{"type":"CPF","number":"',
  '"},"bank":{"ispb":"","name":"BANCO S.A.","branch":"0001","account":"","accountType":"PAYMENT_ACCOUNT","code":"',
].join('');

/** The first byte of what is packed: which `recurring` it was packed with. */
const version = 1;
const dictionary = Buffer.from(recurring);
/** Enough for the dictionary and a text of some KB; what zlib takes by default is cleared for each text. */
const window = { dictionary, windowBits: 13 };
/** Far above anything that is packed: an item that claims to hold more is no item of ours. */
const maxOutputLength = 1024 * 1024;

/**
 * A text in few bytes, for what is written often and read as a whole: a write unit is paid for each KB of an item.
 * Neither conditions nor filters can look into it. `PackedText` gives it back as it was.
 */
export function packText(text: string): Uint8Array {
  const deflated = deflateRawSync(text, { ...window, memLevel: 5 });
  const packed = new Uint8Array(deflated.length + 1);
  packed[0] = version;
  packed.set(deflated, 1);
  return packed;
}

/** Members of an item together, as one attribute; one that is undefined is absent. */
export function packMembers(members: Readonly<Record<string, unknown>>): Uint8Array {
  return packText(JSON.stringify(members));
}

/** A text that was packed. */
export const PackedText = z.instanceof(Uint8Array).transform(orIssue(unpack));

/** Members that were packed. */
export const PackedMembers = PackedText.transform(orIssue((text): unknown => JSON.parse(text)));

function unpack(packed: Uint8Array): string {
  if (packed[0] !== version) throw new RangeError('An unknown version.');
  return inflateRawSync(packed.subarray(1), { ...window, maxOutputLength }).toString();
}

function orIssue<A, B>(read: (value: A) => B): (value: A, context: z.core.$RefinementCtx) => B {
  return (value, context) => {
    try {
      return read(value);
    } catch {
      context.addIssue('not what was packed');
      return z.NEVER;
    }
  };
}
