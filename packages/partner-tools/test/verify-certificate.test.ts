import { createHash } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { compareWithStatement, verifyCertificate } from '#partner-tools/statement/certificate.ts';
import { verifyLines } from '#partner-tools/statement/verify.ts';
import type { World } from '#test/support/bank-world.ts';
import { account, bankWorld, companyOne, payInBody, payoutBody } from '#test/support/bank-world.ts';
import { secondHash } from '#test/support/chain-check.ts';
import { closeStatement } from '#test/support/closed-statement.ts';
import { fc } from '#test/support/properties.ts';
import { localSigningKey } from '#test/support/signing-key.ts';

type Entry = Readonly<Record<string, unknown>> & { readonly proof?: Readonly<Record<string, unknown>> };
type Payload = Readonly<Record<string, unknown>> & { readonly debits: readonly Entry[] };
type Answer = { readonly certificate: string; readonly payload: Payload };

let world: World;
/** A paid payout, its certificate, and the statement that was read after it. */
let answer: Answer;
let statement: readonly Entry[];
let key: string;

/** Signs as the service does, by the RFCs alone. */
const sign = async (payload: object, by = world.signingKey, typ = 'payment-certificate+jws') => {
  const jwk = await by.publicKey();
  const kid = createHash('sha256')
    .update(JSON.stringify({ crv: jwk.crv, kty: jwk.kty, x: jwk.x, y: jwk.y }))
    .digest('base64url');
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
  const text = `${encode({ alg: 'ES256', typ, kid, jwk })}.${encode(payload)}`;
  return `${text}.${(await by.sign(Buffer.from(text))).toString('base64url')}`;
};
const keyOf = (certificate: string) =>
  (JSON.parse(Buffer.from(certificate.split('.')[0] ?? '', 'base64url').toString()) as { kid: string }).kid;
const lines = async function* (entries: readonly object[]) {
  yield* await Promise.resolve(entries.map((entry) => JSON.stringify(entry)));
};
const failing = (error: RegExp) => ({ ok: false, error: expect.stringMatching(error) as string });
const verified = (text: string, by?: string) => {
  const verdict = verifyCertificate(text, by);
  if (!verdict.ok) throw new Error(verdict.error);
  return verdict;
};
const compare = async (certificate: string, entries: readonly object[]) =>
  compareWithStatement(verified(certificate).payload, lines(entries));
const read = async (id: string) =>
  (await world.getPayoutCertificate({ companyId: companyOne, params: { id } })).body as Answer;

/** Chains entries anew, as one would who can change everything but what others have kept. */
function chainedAnew(entries: readonly Entry[]): Entry[] {
  let previous = '0'.repeat(64);
  return entries.map(({ proof: _proof, ...entry }, place) => {
    const proof = { version: 1, position: place + 1, minute: '2026-01-15T15:00', previous };
    previous = secondHash(previous, entry);
    return { ...entry, proof: { ...proof, hash: previous } };
  });
}

const create = async (more: object = {}) => {
  const { body } = await world.createPayout({ companyId: companyOne, body: payoutBody({ ...more }), key: 'key' });
  return (body as { id: string }).id;
};
const readStatement = async (): Promise<readonly Entry[]> => {
  const query = { proof: 'true', sort: 'asc' };
  const { body } = await world.listEntries({ companyId: companyOne, params: { accountId: account }, query });
  return (body as { data: Entry[] }).data;
};

beforeEach(async () => {
  world = bankWorld();
  await world.openAccount(10_000_000);
  const id = await create();
  world.clock.now = '2026-01-15T15:00:30.000Z';
  await world.force(id, 'PAID');
  await closeStatement(world);
  answer = await read(id);
  statement = await readStatement();
  key = keyOf(answer.certificate);
});

describe('the verifier of a certificate', () => {
  it('takes the answer of the service, the JWS in it, and the statement with the one debit', async () => {
    for (const text of [JSON.stringify(answer), JSON.stringify(answer, null, 2), answer.certificate])
      expect(verifyCertificate(text, key)).toMatchObject({ ok: true, key, payload: { outcome: 'CARRIED_OUT' } });
    expect(await verifyLines(lines(statement))).toMatchObject({ ok: true, count: 3 });
    expect(await compare(answer.certificate, statement)).toEqual({ ok: true, later: 0 });
  });

  it('refuses another key than the one that is known, and a certificate whose key was replaced', async () => {
    const forged = await sign(answer.payload, localSigningKey());
    expect(verifyCertificate(forged, key)).toMatchObject({ ok: false, error: expect.stringMatching(/another key/u) });
    expect(verifyCertificate(forged)).toMatchObject({ ok: true });
    const [head] = forged.split('.');
    const [, ...rest] = answer.certificate.split('.');
    expect(verifyCertificate([head, ...rest].join('.'), key)).toMatchObject({ ok: false });
  });

  it('refuses any certificate in which one character is another one', () => {
    const { certificate } = answer;
    fc.assert(
      fc.property(fc.nat(certificate.length - 1), fc.constantFrom('A', 'z', '0', '-', '.'), (at, character) => {
        if (certificate[at] === character) return;
        const changed = `${certificate.slice(0, at)}${character}${certificate.slice(at + 1)}`;
        expect(verifyCertificate(changed, key).ok, changed).toBe(false);
      }),
    );
  });

  it.each([
    ['a second debit', ({ debits }: Payload) => ({ debits: [...debits, { ...debits[0], id: 'x', proof: undefined }] })],
    ['the debit twice', ({ debits }: Payload) => ({ debits: [...debits, ...debits] })],
    ['no debit', () => ({ debits: [] })],
    ['a changed debit', ({ debits }: Payload) => ({ debits: [{ ...debits[0], endToEndId: 'E1' }] })],
    ['the debit of another payout', () => ({ orderId: '3f2b8c1e-5d4a-4c6b-9e7f-0a1b2c3d4e00' })],
    ['a debit of what was not carried out', () => ({ outcome: 'NOT_CARRIED_OUT' })],
    ['another amount', () => ({ amount: { currency: 'BRL', value: '20.00' } })],
    ['another version', () => ({ version: 2 })],
  ])('refuses %s, even with a good signature', async (_name, change) => {
    const payload = { ...answer.payload, ...change(answer.payload) };
    expect(verifyCertificate(await sign(payload), key)).toMatchObject({ ok: false });
  });

  it('refuses a payload beside the certificate that is not the signed one, and a text of another type', async () => {
    const payload = { ...answer.payload, outcome: 'NOT_CARRIED_OUT' };
    expect(verifyCertificate(JSON.stringify({ ...answer, payload }), key)).toMatchObject({ ok: false });
    const other = await sign(answer.payload, world.signingKey, 'statement-root+jws');
    expect(verifyCertificate(other, key)).toMatchObject({ ok: false });
    for (const text of ['', '{}', 'a.b.c', `${answer.certificate}.x`])
      expect(verifyCertificate(text, key)).toMatchObject({ ok: false });
  });

  it('refuses a forged second debit in the statement, however it names the payout, and of whatever type', async () => {
    const debit = statement.find(({ type }) => type === 'PAYOUT_PAID')!;
    const id = '4b5a6978-8796-4a5b-9c4d-000000000000';
    const ofPayout = { endToEndId: undefined };
    for (const second of [
      ofPayout,
      { orderId: '3f2b8c1e-5d4a-4c6b-9e7f-0a1b2c3d4e00' },
      { ...ofPayout, orderId: String(debit['orderId']).toUpperCase() },
      { ...ofPayout, type: 'PAYOUT_RESERVED' },
    ]) {
      const forged = chainedAnew([...statement, { ...debit, ...second, id }]);
      expect(await verifyLines(lines(forged))).toMatchObject({ ok: true });
      expect(await compare(answer.certificate, forged)).toMatchObject(failing(/once more/u));
    }
  });

  it('refuses a statement without the debit, with another one in its place, or chained anew', async () => {
    const without = statement.filter(({ type }) => type !== 'PAYOUT_PAID');
    expect(await compare(answer.certificate, without)).toMatchObject(failing(/has no entry/u));
    const changed = statement.map((entry) =>
      entry['type'] === 'PAYOUT_PAID' ? { ...entry, endToEndId: 'E1' } : entry,
    );
    expect(await compare(answer.certificate, changed)).toMatchObject(failing(/another one/u));
    const moved = chainedAnew([statement[0]!, statement[2]!, statement[1]!]);
    expect(await compare(answer.certificate, moved)).toMatchObject(failing(/another one/u));
  });

  it('takes a statement with a debit after a certificate that says NOT_KNOWN, and refuses one before it', async () => {
    const open = { ...answer.payload, outcome: 'NOT_KNOWN', debits: [] };
    const early = await sign({ ...open, issuedAt: '2026-01-15T15:00:10.000Z' });
    expect(await compare(early, statement)).toEqual({ ok: true, later: 1 });
    expect(await compare(await sign(open), statement)).toMatchObject(failing(/once more/u));
  });
});

describe('the verifier of a refund’s certificate', () => {
  it('takes the entry of its own part, and refuses that of another part of the pay-in', async () => {
    const order = await world.createPayIn({ companyId: companyOne, body: payInBody(), key: 'pay-in' });
    const params = { id: (order.body as { id: string }).id };
    await world.force(params.id, 'PAID');
    const ask = async (value: string) => {
      const body = { amount: { currency: 'BRL', value } };
      const asked = await world.refundPayIn({ companyId: companyOne, params, body, key: value });
      const { refundId } = asked.body as { refundId: string };
      await world.force(refundId, 'REFUNDED');
      return async () => {
        const read = await world.getRefundCertificate({ companyId: companyOne, params: { ...params, refundId } });
        return read.body as Answer;
      };
    };
    const reads = [await ask('10.00'), await ask('15.00')];
    await closeStatement(world);
    const [one, other] = [await reads[0]!(), await reads[1]!()];
    const entries = await readStatement();
    expect(await compare(one.certificate, entries)).toEqual({ ok: true, later: 0 });
    expect(await compare(other.certificate, entries)).toEqual({ ok: true, later: 0 });
    const moved = { ...one.payload, amount: { currency: 'BRL', value: '15.00' }, debits: other.payload.debits };
    expect(verifyCertificate(await sign(moved), key)).toMatchObject({
      ok: false,
      error: expect.stringMatching(/is of another payment/u) as string,
    });
  });
});
