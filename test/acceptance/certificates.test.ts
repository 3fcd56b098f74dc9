import type { JWK } from 'jose';
import { compactVerify, decodeProtectedHeader, importJWK } from 'jose';
import { describe, expect, test } from 'vitest';
import { ForceOrderStatus } from '#functions/order-tools/force-order-status/contract.ts';
import { CreatePayIn } from '#functions/pay-ins/create/contract.ts';
import { GetRefundCertificate } from '#functions/pay-ins/get-refund-certificate/contract.ts';
import { RefundPayIn } from '#functions/pay-ins/refund/contract.ts';
import { CreatePayout } from '#functions/payouts/create/contract.ts';
import { GetPayout } from '#functions/payouts/get/contract.ts';
import { GetPayoutCertificate } from '#functions/payouts/get-certificate/contract.ts';
import { refused } from '../support/refusals.ts';
import { activeAccount, first, second } from './partners.ts';
import { brl, payIn, payout } from './samples.ts';

const accountId = activeAccount(first).id;
const force = (id: string, status: 'PAID' | 'REFUNDED') => first.call(ForceOrderStatus, { body: { id, status } });

/** What a certificate signs, verified by another library with the key in its header. */
const verified = async (certificate: string): Promise<unknown> => {
  const key = await importJWK(decodeProtectedHeader(certificate).jwk as JWK, 'ES256');
  return JSON.parse(new TextDecoder().decode((await compactVerify(certificate, key)).payload)) as unknown;
};

const receipt = (path: string, headers: Readonly<Record<string, string>> = {}) =>
  first.raw({ method: 'GET', path, headers });

describe('the certificate of a payout', () => {
  const paidOut = async () => {
    const { id } = (await first.call(CreatePayout, { body: payout(accountId, { amount: brl('7.25') }) })).body;
    await force(id, 'PAID');
    return id;
  };

  test('is signed, and says who asked, what the bank decided, and which entry took the money', async () => {
    const id = await paidOut();
    const { endToEndId } = (await first.call(GetPayout, { params: { id } })).body;
    const { certificate, payload } = (await first.call(GetPayoutCertificate, { params: { id } })).body;
    expect(await verified(certificate)).toEqual(payload);
    expect(payload).toMatchObject({
      ...{ kind: 'PAYOUT', id, outcome: 'CARRIED_OUT', amount: brl('7.25'), endToEndId },
      request: { clientId: first.clientId },
      debits: [{ type: 'PAYOUT_PAID', orderId: id, reserved: '-7.25' }],
    });
  });

  test('is a receipt for people by the parameter and by Accept, a page that runs nothing', async () => {
    const path = `/order/v1/banking/order-payouts/${await paidOut()}/certificate`;
    const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
    for (const page of [await receipt(`${path}?format=html`), await receipt(path, { accept: browser })]) {
      expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
      expect(page.headers['content-security-policy']).toContain("default-src 'none'");
      expect(page.headers['content-disposition']).toMatch(/^inline;/u);
      expect(page.text).toContain('<h1>Comprovante: Pagamento Pix</h1>');
    }
    const json = await receipt(`${path}?format=json`, { accept: browser });
    expect([json.status, json.headers['content-type']]).toEqual([200, 'application/json; charset=utf-8']);
    const wrong = await first.refused(GetPayoutCertificate, { params: { id: '-' }, query: { format: 'pdf' } });
    refused(wrong, 400, ['format:INVALID_VALUE']);
  });

  test('is not found when the payout is another company’s', async () => {
    refused(await second.refused(GetPayoutCertificate, { params: { id: await paidOut() } }), 404);
  });
});

describe('the certificate of a refund', () => {
  test('is signed, and has the entry of its own part alone', async () => {
    const { id } = (await first.call(CreatePayIn, { body: payIn(accountId, { amount: brl('10.50') }) })).body;
    await force(id, 'PAID');
    const params = { id };
    const ask = async (value: string) =>
      (await first.call(RefundPayIn, { params, body: { amount: brl(value) } })).body.refundId;
    const [refundId, open] = [await ask('4.00'), await ask('6.50')];
    await force(refundId, 'REFUNDED');
    const ofPart = { params: { id, refundId } };
    const { certificate, payload } = (await first.call(GetRefundCertificate, ofPart)).body;
    expect(await verified(certificate)).toEqual(payload);
    expect(payload).toMatchObject({
      ...{ kind: 'REFUND', id: refundId, orderId: id, outcome: 'CARRIED_OUT' },
      debits: [{ type: 'REFUND_SETTLED', refundId, reserved: '-4.00' }],
    });
    const waiting = (await first.call(GetRefundCertificate, { params: { id, refundId: open } })).body.payload;
    expect([waiting.outcome, waiting.debits]).toEqual(['NOT_KNOWN', []]);
    const page = await receipt(`/order/v1/banking/order-payins/${id}/refunds/${refundId}/certificate?format=html`);
    expect(page.text).toContain('<h1>Comprovante: Devolução Pix</h1>');
    refused(await second.refused(GetRefundCertificate, ofPart), 404);
    refused(await first.refused(GetRefundCertificate, { params: { id, refundId: 'none' } }), 404);
    const wrong = { ...ofPart, query: { format: 'pdf' } };
    refused(await first.refused(GetRefundCertificate, wrong), 400, ['format:INVALID_VALUE']);
  });
});
