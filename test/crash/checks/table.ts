import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { queueName } from '#infra/resource-name.ts';
import { environments } from '#infra/environments.ts';
import { reconcile } from '#infra/operator/reconciliation/reconcile.ts';
import type { OperatorDependencies } from '#infra/operator/target.ts';
import { reservedDescriptions, reservedKeys, timeoutAccount } from '#shared/bank/simulated/reserved.ts';
import { plusSeconds } from '#shared/core/brasilia-time.ts';
import { isCompanyTimeKind } from '#shared/platform/jobs/due-kinds.ts';
import type { Delivery } from '#shared/platform/outbox/delivery.ts';
import { parseDelivery, parseDeliveryBody } from '#shared/platform/outbox/delivery-items.ts';
import type { Item } from '#shared/platform/table/store.ts';
import { parseDeliveryMessage } from '#shared/webhooks/dispatch/queue.ts';
import { dueEntry } from '#test/support/due.ts';
import type { Violation } from '../journal.ts';

/** What operators and the machine itself show of an environment: its table by their scan, and its queue. */

/** As fast as the machine reads: there is no other load meanwhile. */
const unitsPerSecond = 100_000;

/** Every item of a company. */
export async function readItems({ itemsOf }: OperatorDependencies, companyId: string): Promise<readonly Item[]> {
  const items: Item[] = [];
  for await (const item of itemsOf({ companyId, unitsPerSecond, onPage: () => undefined })) items.push(item);
  return items;
}

/** The deliveries among a company's items, and the bytes of each by its id. */
export function deliveriesIn(items: readonly Item[]): {
  readonly deliveries: readonly Delivery[];
  readonly bodies: ReadonlyMap<string, string>;
} {
  const itemsOf = (entity: string): readonly Item[] => items.filter((item) => item['entity'] === entity);
  const bodies = itemsOf('DELIVERY_BODY').map(
    (item) => [item.PK.split('#').at(-1) ?? '', parseDeliveryBody(item)] as const,
  );
  return { deliveries: itemsOf('DELIVERY').map(parseDelivery), bodies: new Map(bodies) };
}

/** The operator's comparison of orders, deliveries and ledger, whatever changed last. */
export async function compareBooks(items: readonly Item[], companyId: string): Promise<readonly Violation[]> {
  const newest = items
    .map(({ updatedAt }) => (typeof updatedAt === 'string' ? updatedAt : ''))
    .toSorted()
    .at(-1);
  const now = (): string => plusSeconds(newest ?? new Date().toISOString(), 86_400);
  const itemsOf = async function* (): AsyncGenerator<Item> {
    yield* await Promise.resolve(items);
  };
  const differences = await reconcile({ itemsOf, now }, { companyId }, () => undefined);
  return differences.map(({ kind, id, expected, found }) => {
    const text = `${kind} ${id}: expected ${expected}, found ${found}`;
    return { invariant: 'orders, deliveries and ledger agree', text, ids: [id] };
  });
}

/** A command that a process left is due two minutes later. */
const commandSeconds = 150;
/** What is due may be late: the workers run every few seconds. */
const lateSeconds = 20;
const commands = /_SUBMISSION$|_COMMAND$|_RETURN$|^RECURRENCE_CANCELLATION$/u;

/** The simulated bank never answers for these payouts, refunds and charges: they stay due, as docs/sandbox.md says. */
function isUnanswered({ paymentData, description }: Item): boolean {
  const { pixKey, bankAccount } = (paymentData ?? {}) as { pixKey?: string; bankAccount?: { accountNumber: string } };
  if (description === reservedDescriptions.timeout) return true;
  return pixKey === reservedKeys.timeout || bankAccount?.accountNumber === timeoutAccount;
}

/** Work that is due and not done, and commands that soon will be. `nowOf`: by the machine's clock, or the company's. */
export function dueIn(items: readonly Item[], nowOf: (isCompanyTime: boolean) => string): readonly string[] {
  return items.flatMap((item) => {
    const entry = dueEntry(item);
    if (entry === undefined || isUnanswered(item)) return [];
    const { kind, dueAt: at } = entry;
    const now = nowOf(isCompanyTimeKind(kind));
    const until = plusSeconds(now, commands.test(kind) ? commandSeconds : -lateSeconds);
    return at < until ? [`${kind} at ${at}: ${item.PK} ${item.SK}`] : [];
  });
}

/** The deliveries in the dead-letter queue, one for each letter, those that the sweep hides for a moment included. */
export function readLetters(folder: string): readonly string[] {
  const database = new DatabaseSync(join(folder, 'sqs', 'fauxqs.db'), { readOnly: true });
  try {
    const named = database.prepare('SELECT body FROM sqs_messages WHERE queue_name = ?');
    const letters = named.all(queueName(environments.local, 'deadLetters'));
    return letters.map(({ body }) => parseDeliveryMessage(String(body))?.deliveryId ?? String(body));
  } finally {
    database.close();
  }
}
