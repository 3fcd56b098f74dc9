import { randomUUID } from 'node:crypto';
import { compareWithStatement, verifyCertificate, verifyLines } from '@banking-order/partner-tools';

type Entry = { readonly id: string };
type Payload = { readonly debits: readonly Entry[] };
/** A payout or refund that has ended, with the text of its certificate as the service answers it. */
type Certified = { readonly id: string; readonly status: string; readonly text: string };
/** A line of JSON for each entry of an account, with its proof, by the id of the account. */
type Statements = ReadonlyMap<string, readonly string[]>;

/** The outcome that a certificate shows, by the last status of its payment. */
const outcomes: Readonly<Record<string, string>> = {
  ...{ PAID: 'CARRIED_OUT', SETTLED: 'CARRIED_OUT', PARTIALLY_PAID: 'CARRIED_OUT_IN_PART', PENDING: 'NOT_KNOWN' },
  ...{ ERROR: 'NOT_CARRIED_OUT', FAILED: 'NOT_CARRIED_OUT', CANCELED: 'NOT_CARRIED_OUT' },
};

/**
 * Verifies as a partner who has nothing but answers of the service: each statement, then each certificate with the
 * statement of its account. A certificate has the outcome of its payment, and an end-to-end id is in one of them.
 * @returns what is wrong
 */
export async function certificateErrors(statements: Statements, payments: readonly Certified[]): Promise<string[]> {
  const errors: string[] = [];
  for (const lines of statements.values()) {
    // Those of the last minutes, and of a simulated clock that was ahead, are chained soon.
    const chained = lines.filter((line) => (JSON.parse(line) as { readonly proof?: object }).proof !== undefined);
    const verdict = chained.length === 0 ? undefined : await verifyLines(each(chained));
    if (verdict?.ok === false) errors.push(verdict.error);
  }
  const holders = new Map<string, string>();
  for (const { id, status, text } of payments) {
    const verdict = verifyCertificate(text);
    if (!verdict.ok) {
      errors.push(`${id}: ${verdict.error}`);
      continue;
    }
    const { payload } = verdict;
    if (payload.id !== id || payload.outcome !== outcomes[status])
      errors.push(`${payload.id} is ${payload.outcome}, ${id} is ${status}`);
    const compared = await compareWithStatement(payload, each(statements.get(payload.accountId) ?? []));
    if (!compared.ok) errors.push(`${id}: ${compared.error}`);
    for (const { outcome, endToEndId } of payload.payments ?? [payload]) {
      if (outcome !== 'CARRIED_OUT' || endToEndId === undefined) continue;
      if (holders.has(endToEndId)) errors.push(`${endToEndId} is of ${id} and of ${holders.get(endToEndId)}`);
      holders.set(endToEndId, id);
    }
  }
  return errors;
}

/**
 * Adds a debit of each certificate to its statement a second time, with another id.
 * @param place where among so many lines
 * @returns the payments whose second debit was not refused
 */
export async function unrefusedForgeries(
  statements: Statements,
  payments: readonly Certified[],
  place: (count: number) => number,
): Promise<string[]> {
  const unrefused: string[] = [];
  for (const { id, text } of payments) {
    const verdict = verifyCertificate(text);
    const [debit] = (JSON.parse(text) as { readonly payload: Payload }).payload.debits;
    if (!verdict.ok || debit === undefined) continue;
    const lines = statements.get(verdict.payload.accountId) ?? [];
    const forged = lines.toSpliced(place(lines.length), 0, JSON.stringify({ ...debit, id: randomUUID() }));
    if ((await compareWithStatement(verdict.payload, each(forged))).ok) unrefused.push(id);
  }
  return unrefused;
}

async function* each(lines: readonly string[]): AsyncGenerator<string, void, void> {
  yield* await Promise.resolve(lines);
}
