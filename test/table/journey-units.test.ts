import { readFile, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { deliver } from '#shared/webhooks/dispatch/deliver.ts';
import type { WebhookType } from '#shared/platform/outbox/delivery.ts';
import { newWebhookSettings, replaceEndpoints } from '#shared/webhooks/settings.ts';
import { webhookSecretItem, webhookSettingsItem } from '#shared/webhooks/settings-store.ts';
import { centavos } from '#shared/core/money.ts';
import type { BankEvent } from '#shared/bank/ports/bank-events.ts';
import { connect, e2e, paidAt } from '../bank-events/bank-events-world.ts';
import type { Answer } from '../support/api.ts';
import { bankWorld, companyOne, noon, payInBody, payoutBody, receiver } from '../support/bank-world.ts';
import { circuit } from '../support/circuit.ts';
import { productionStore } from '../support/production-store.ts';
import type { WrittenItem } from '../support/write-units.ts';
import { countingUnits, unitsOf } from '../support/write-units.ts';

/**
 * The write units of a whole journey in production, item by item and by DynamoDB's rules, with texts of usual length.
 * The tables in docs/capacity.md are this test's own output; `UPDATE_CAPACITY=1` writes them.
 */

const capacityDocument = new URL('../../docs/capacity.md', import.meta.url);
const mark = '<!-- journeys -->';
const endpoint = 'https://api.partner.example.com.br/webhooks/banking/v1/orders';
const externalId = '0b0d7c36-0a36-4ed2-95e1-6e3f6c7f9f0a';
const key = 'b7d0c1e2-53f4-4a64-9a0c-0d6b4d6f3a11';
const person = { name: 'Maria Aparecida dos Santos Silva', document: receiver.document };

type World = ReturnType<typeof bankWorld>;
type Step = { readonly step: string; readonly written: readonly WrittenItem[] };

type JourneyOf = {
  readonly type: WebhookType;
  readonly create: (world: World) => Promise<Answer>;
  /** With a bank of its own, whose callback moves the order. */
  readonly callback?: (bank: Connected, orderId: string) => BankEvent;
};
type Connected = Awaited<ReturnType<typeof connect>>;

/** The steps from the creation of an order to its notification, delivered at the first attempt. */
async function journey({ type, create, callback }: JourneyOf): Promise<readonly Step[]> {
  const written: WrittenItem[] = [];
  const world = bankWorld({
    seed: type,
    wrap: (memory) =>
      productionStore(
        countingUnits(memory, (items) => {
          written.push(...items);
        }),
      ),
  });
  await world.openAccount(1_000_000);
  const settingsInput = { id: world.ids.uuid(), companyId: companyOne, organizationId: world.ids.uuid(), at: noon };
  const { settings } = replaceEndpoints(newWebhookSettings(settingsInput), [{ type, endpoint }], noon);
  const secret = { companyId: companyOne, current: `whsec_${'A'.repeat(43)}=`, createdAt: noon, version: 1 };
  await world.store.write(
    [{ put: webhookSettingsItem(settings) }, { put: webhookSecretItem(secret) }],
    world.ids.uuid(),
  );
  if (callback !== undefined) asConnected(world);
  const bank = callback && (await connect(world));
  const steps: Step[] = [];
  const step = async <T>(name: string, run: () => Promise<T>): Promise<T> => {
    written.length = 0;
    const result = await run();
    steps.push({ step: name, written: [...written] });
    return result;
  };
  const created = await step('create', () => create(world));
  expect(created.status, created.text).toBe(201);
  const { id } = created.body as { id: string };
  await step('PAID', async () => {
    if (bank !== undefined && callback !== undefined) {
      expect(await bank.hear(callback(bank, id))).toBe('MOVED');
      return;
    }
    const paid = await world.force(id, 'PAID');
    expect(paid.status, paid.text).toBe(200);
  });
  const [delivery] = world.items('DELIVERY');
  const message = { id: world.ids.uuid(), requestId: world.ids.uuid(), dispatch: 1, receives: 1 };
  const ackOrRetry = await step('deliver', () =>
    deliver(
      { ...message, companyId: companyOne, deliveryId: delivery?.['id'] as string },
      {
        ...{
          store: world.store,
          now: () => noon,
          newId: () => world.ids.uuid(),
          random: () => 0,
          delays: [1, 1, 1, 1],
        },
        ...{ sleep: () => Promise.resolve(), report: () => undefined, ...circuit },
        send: () => Promise.resolve({ outcome: 'DELIVERED', httpStatus: 200, durationMs: 155, returnCode: '0' }),
      },
    ),
  );
  expect(ackOrRetry).toEqual({ do: 'ack' });
  return steps;
}

/** As a company whose bank looks up no keys, and says a payout's end-to-end id when it takes it, not before. */
function asConnected(world: World): void {
  world.setCapabilities({ isPolled: true, keyLookup: 'NONE' });
  world.bank.payouts.prepare = () => Promise.resolve({});
  world.bank.payouts.send.submit = () =>
    Promise.resolve({ outcome: 'DONE', state: { status: 'ACCEPTED', endToEndId: e2e(1), returns: [] } });
}

function totalOf(steps: readonly Step[]): number {
  return steps.flatMap(({ written }) => written).reduce((sum, item) => sum + unitsOf(item), 0);
}

function tableOf(steps: readonly Step[]): string {
  const total = totalOf(steps);
  const rows = steps.map(({ step, written }) => {
    const items = written.map(({ entity, bytes, units: { table, ...entries } }) => {
      const indexed = Object.entries(entries).map(([name, units]) => ` + ${name} ${units}`);
      return `${entity} (${bytes}) ${table}${indexed.join('')}`;
    });
    return `| ${step} | ${items.join(', ')} |`;
  });
  return [
    '| Step | Item (bytes) and units of the table + those of its index entries |',
    '|---|---|',
    ...rows,
    `| all | **${total}** |`,
  ].join('\n');
}

test('a payout and a pay-in cost the units in docs/capacity.md, item by item, until their webhooks are delivered', async () => {
  const payoutOf: JourneyOf = {
    type: 'PAYOUT',
    create: (world) =>
      world.createPayout({
        companyId: companyOne,
        key,
        body: payoutBody({
          ...{ externalId, receiver: person, description: 'Pagamento fornecedor 4711 ref. 01/2026' },
          paymentData: { pixKey: 'maria.52998224725@example.com' },
        }),
      }),
  };
  const payInOf: JourneyOf = {
    type: 'PAYIN',
    create: (world) =>
      world.createPayIn({
        companyId: companyOne,
        key,
        body: payInBody({ externalId, payer: person, description: 'Pedido 4711 ref. 01/2026' }),
      }),
  };
  const payout = await journey(payoutOf);
  const payIn = await journey(payInOf);
  const ownPayout = await journey({
    ...payoutOf,
    callback: ({ known }, id) => {
      const state = { status: 'PAID', at: paidAt, endToEndId: e2e(1), returns: [] } as const;
      const idEnvio = id.replaceAll('-', '');
      known.sent.set(idEnvio, { reference: idEnvio, endToEndId: e2e(1), amount: centavos(1000), state });
      return { kind: 'PAYOUT', idEnvio };
    },
  });
  const ownPayIn = await journey({ ...payInOf, callback: ({ pays }, id) => pays(1, id.replaceAll('-', ''), 2500) });
  const own = [ownPayout, ownPayIn].map(totalOf);
  expect(own[0]).toBeLessThanOrEqual(43);
  // The claim of its end-to-end id across companies, and an item that its connection takes above 1 KB.
  expect(own[1]).toBeLessThanOrEqual(totalOf(payIn) + 4);
  const tables = `A payout:\n\n${tableOf(payout)}\n\nA pay-in:\n\n${tableOf(payIn)}\n\nWith a bank of its own, moved by its callback: a payout **${own[0]}**, a pay-in **${own[1]}**.\n`;
  const document = await readFile(capacityDocument, 'utf8');
  const [before = '', , after = ''] = document.split(`${mark}\n`);
  const current = `${before}${mark}\n${tables}${mark}\n${after}`;
  if (process.env['UPDATE_CAPACITY'] === '1') await writeFile(capacityDocument, current);
  else expect(document).toBe(current);
});
