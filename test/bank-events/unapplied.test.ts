import { afterEach, expect, test, vi } from 'vitest';
import type { ReceivedPix, SentPix } from '#shared/bank/ports/reader.ts';
import { centavos } from '#shared/core/money.ts';
import { childOrderId } from '#shared/core/identifiers.ts';
import { bankEventContext } from '#shared/bank-events/context.ts';
import { keys } from '#shared/platform/table/keys.ts';
import type { Store } from '#shared/platform/table/store.ts';
import { companyOne, payInBody, payoutBody } from '../support/bank-world.ts';
import { connectionId } from '../support/connected-items.ts';
import { collectLines } from '../support/logged.ts';
import { paymentWorld } from '../support/payment-world.ts';
import { fc } from '../support/properties.ts';
import { connect, e2e, paidAt, readLists, rtrId } from './bank-events-world.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

const receivedKinds = ['CHARGED', 'UNEXPECTED', 'CREDITED', 'FEE_LEFT', 'BOOKED', 'AMOUNT', 'RETURNED'] as const;
const sentKinds = [
  'OPEN',
  'ENDED',
  'FAILED',
  'FEE_LEFT',
  'AMOUNT',
  'FOREIGN',
  'NEVER_SEEN',
  'PART',
  'CORRUPT',
] as const;
type Lists = { readonly received: readonly ReceivedPix[]; readonly sent: readonly SentPix[] };

/** A company of which some payments are applied already, and the lists with all of them. */
async function worldOf(
  received: readonly (typeof receivedKinds)[number][],
  sent: readonly (typeof sentKinds)[number][],
) {
  const world = await paymentWorld();
  world.setCapabilities({ isPolled: true });
  const bank = await connect(world, 'read-bank-lists');
  let isPageRead = false;
  let calls = 0;
  const page =
    <Item>(items: readonly Item[]) =>
    () => {
      isPageRead = true;
      return Promise.resolve({ items, pages: 1 });
    };
  const read = async (lists: Lists, isTogether: boolean) => {
    const hidden: Store['read'] = async (wanted) => {
      const isFirst = isPageRead && !isTogether;
      isPageRead = false;
      calls += 1;
      return isFirst ? wanted.map(() => undefined) : bank.events.store.read(wanted);
    };
    const query: Store['query'] = async (wanted) => {
      calls += 1;
      return bank.events.store.query(wanted);
    };
    isPageRead = false;
    const events = { ...bank.events, store: { ...bank.events.store, read: hidden, query } };
    const found = (await bankEventContext(events, companyOne, connectionId))!;
    const reader = { ...found.reader, listReceived: page(lists.received), listSent: page(lists.sent) };
    calls = 0;
    return { ...(await readLists({ ...found, reader }, 'HOURLY')), reads: calls };
  };
  bank.pays(999, undefined, 900_000_000);
  await read({ received: [...bank.known.received.values()], sent: [] }, true);
  const earlier: { received: ReceivedPix[]; sent: SentPix[] } = { received: [], sent: [] };
  const lists: typeof earlier = { received: [], sent: [] };
  for (const [at, kind] of received.entries()) {
    const { body } = await world.createPayIn({ companyId: companyOne, body: payInBody(), key: `in${at}` });
    const txid = (body as { id: string }).id.replaceAll('-', '');
    const charged: ReceivedPix = { endToEndId: e2e(at), amount: centavos(2500), at: paidAt, returns: [], txid };
    const { txid: _txid, ...unexpected } = charged;
    const withFee = { ...charged, fee: centavos(19) };
    if (kind !== 'CHARGED' && kind !== 'UNEXPECTED') earlier.received.push(kind === 'BOOKED' ? withFee : charged);
    const returned = { id: 'med', returnId: rtrId(at), amount: centavos(100), at: paidAt };
    const shown: Record<typeof kind, ReceivedPix> = {
      ...{ CHARGED: charged, CREDITED: charged, UNEXPECTED: unexpected, FEE_LEFT: withFee, BOOKED: withFee },
      AMOUNT: { ...charged, amount: centavos(1) },
      RETURNED: { ...charged, returns: [returned] },
    };
    lists.received.push(shown[kind]);
  }
  world.bank.payouts.send.submit = () =>
    Promise.resolve({ outcome: 'DONE', state: { status: 'ACCEPTED', returns: [] } });
  for (const [at, kind] of sent.entries()) {
    const isPart = kind === 'PART';
    world.bank.payouts.prepare = () => Promise.resolve(isPart ? {} : { endToEndId: e2e(500 + at) });
    const body = payoutBody({ amount: { currency: 'BRL', value: isPart ? '31000.00' : '10.00' } });
    const created = await world.createPayout({ companyId: companyOne, body, key: `out${at}` });
    const { id } = created.body as { id: string };
    const reference = (isPart ? childOrderId(id, 1) : id).replaceAll('-', '');
    const paid = { status: 'PAID', at: paidAt, returns: [] } as const;
    const plain = { reference, endToEndId: e2e(500 + at), amount: centavos(isPart ? 1_500_000 : 1000), state: paid };
    const withFee = { ...plain, fee: centavos(7) };
    if (kind === 'ENDED' || kind === 'FEE_LEFT' || kind === 'AMOUNT') earlier.sent.push(plain);
    if (isPart && at % 2 === 0) earlier.sent.push(withFee);
    if (kind === 'CORRUPT')
      await world.store.writeOne({ update: keys.order(companyOne, id), set: { status: 7 }, when: { is: 'present' } });
    const { reference: _reference, ...foreign } = plain;
    const shown: Record<typeof kind, SentPix> = {
      ...{ OPEN: plain, ENDED: plain, CORRUPT: plain, FOREIGN: foreign, FEE_LEFT: withFee, PART: withFee },
      AMOUNT: { ...plain, amount: centavos(7) },
      FAILED: { ...plain, state: { status: 'ERROR', reason: 'NAO_REALIZADO', returns: [] } },
      NEVER_SEEN: { ...plain, reference: `${reference.slice(0, 24)}${String(at).padStart(8, '0')}` },
    };
    lists.sent.push(shown[kind]);
  }
  await read(earlier, true);
  const textsOf = (entity: string, ...names: readonly string[]) =>
    world
      .items(entity)
      .map((item) => JSON.stringify(names.map((name) => item[name])))
      .toSorted();
  const state = () => [
    textsOf('LEDGER_ENTRY', 'kind', 'available', 'reserved'),
    textsOf('PAYOUT', 'idempotencyKey', 'status', 'paidAt'),
    textsOf('PAYOUT_PAYMENT', 'status', 'amount'),
    textsOf('BANK_FEE', 'endToEndId', 'amount'),
    textsOf('RECEIVED_PIX', 'endToEndId', 'amount', 'state'),
    textsOf('DELIVERY', 'event'),
  ];
  return { lists, read, state };
}

const shuffled = <Kind>(...kinds: readonly Kind[]) =>
  fc.array(fc.constantFrom(...kinds), { minLength: 1, maxLength: 50 });

test('a page that is looked up together changes the same as one whose payments are looked up one by one', async () => {
  const unknown = collectLines(({ message }) => message === 'List contained an unknown payment');
  const order = fc.array(fc.nat(), { minLength: 60, maxLength: 60 });
  await fc.assert(
    fc.asyncProperty(shuffled(...receivedKinds), shuffled(...sentKinds), order, async (received, sent, places) => {
      const [together, alone] = [await worldOf(received, sent), await worldOf(received, sent)];
      /** Unsorted, and some payments twice. */
      const drawn = <Item>(items: readonly Item[]): readonly Item[] => [
        ...items.toSorted((a, b) => (places[items.indexOf(a)] ?? 0) - (places[items.indexOf(b)] ?? 0)),
        ...items.filter((_item, at) => (places[at] ?? 0) % 3 === 0),
      ];
      const of = ({ lists }: typeof together): Lists => ({ received: drawn(lists.received), sent: drawn(lists.sent) });
      const reported = async (one: typeof together, isTogether: boolean) => {
        const before = unknown.length;
        const { missed, failed } = await one.read(of(one), isTogether);
        return { missed, failed, unknown: unknown.length - before };
      };
      expect(await reported(together, true)).toEqual(await reported(alone, false));
      expect(together.state()).toEqual(alone.state());
    }),
    { numRuns: 12 },
  );
});

test('a page of payments that ended as they are listed costs one read for each list', async () => {
  const { lists, read } = await worldOf(
    Array.from({ length: 100 }, () => 'CREDITED' as const),
    Array.from({ length: 100 }, () => 'ENDED' as const),
  );
  const { reads, ...report } = await read(lists, true);
  expect(report).toMatchObject({ missed: 0, failed: 0 });
  expect(reads).toBe(2);
});
