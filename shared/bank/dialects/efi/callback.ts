import * as z from 'zod';
import { bankJson } from './bank-json.ts';
import type { BankEvent } from '#shared/bank/ports/bank-events.ts';
import { BankIds, BankEventShape } from '#shared/bank/ports/bank-events.ts';

/**
 * Returns the events in the body of a callback, each once: `pix`, `recs` and `cobsr` of API Pix, on any path. Entries
 * of another shape are ignored. Undefined for a text that is no JSON object: the bank sends a truncated body again.
 */
export function parseCallback(text: string): readonly BankEvent[] | undefined {
  const body = parseObject(text);
  if (body === undefined) return undefined;
  const found = [
    ...listOf(body['pix']).flatMap(pixEvents),
    ...listOf(body['recs']).map(({ idRec }) => ({ kind: 'RECURRENCE', idRec })),
    ...listOf(body['cobsr']).map(({ txid }) => ({ kind: 'RECURRING_CHARGE', txid })),
  ];
  const events = found.flatMap((candidate) => BankEventShape.safeParse(candidate).data ?? []);
  return [...new Map(events.map((event) => [JSON.stringify(event), event])).values()];
}

const Fields = z.record(z.string(), z.unknown());
type Fields = z.output<typeof Fields>;

function parseObject(text: string): Fields | undefined {
  return fieldsOf(bankJson(text));
}

function fieldsOf(value: unknown): Fields | undefined {
  return Fields.safeParse(value).data;
}

function listOf(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.map(fieldsOf).filter((fields) => fields !== undefined) : [];
}

/**
 * Returns the event of a payment that we sent (by its `idEnvio`, Efí), or of a received payment and each of its returns
 * (devoluções).
 */
function pixEvents(pix: Fields): readonly unknown[] {
  const { endToEndId, txid } = pix;
  const extras = fieldsOf(pix['gnExtras']);
  if (extras?.['idEnvio'] !== undefined) {
    const code = BankIds.id.safeParse(fieldsOf(extras['erro'])?.['codigo']).data;
    return [{ kind: 'PAYOUT', idEnvio: extras['idEnvio'], ...(code !== undefined && { code }) }];
  }
  const returns = listOf(pix['devolucoes']).map(({ id }) => ({ kind: 'RETURN', endToEndId, id }));
  // The payment is usually known when a return (devolução) of it arrives, unless the callback of the payment was lost.
  const known = BankIds.id.safeParse(txid).data;
  return [{ kind: 'PIX', endToEndId, ...(known !== undefined && { txid: known }) }, ...returns];
}
