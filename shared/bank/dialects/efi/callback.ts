import * as z from 'zod';
import { bankJson } from './bank-json.ts';
import type { BankEvent } from '#shared/bank/ports/bank-events.ts';
import { BankIds, BankEventShape } from '#shared/bank/ports/bank-events.ts';

/**
 * The things that the body of a callback names, each once: `pix`, `recs` and `cobsr` of API Pix, whichever path it came
 * to. Leniently: what has another shape than its bank promises says nothing. Undefined for a text that is no JSON
 * object: a truncated one is sent again.
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

/** A payment of ours by its reference (Efí), one that came in, and each of its devoluções. */
function pixEvents(pix: Fields): readonly unknown[] {
  const { endToEndId, txid } = pix;
  const extras = fieldsOf(pix['gnExtras']);
  if (extras?.['idEnvio'] !== undefined) {
    const code = BankIds.id.safeParse(fieldsOf(extras['erro'])?.['codigo']).data;
    return [{ kind: 'PAYOUT', idEnvio: extras['idEnvio'], ...(code !== undefined && { code }) }];
  }
  const returns = listOf(pix['devolucoes']).map(({ id }) => ({ kind: 'RETURN', endToEndId, id }));
  // The payment is known already when one of its devoluções is reported, unless its own callback was lost.
  const known = BankIds.id.safeParse(txid).data;
  return [{ kind: 'PIX', endToEndId, ...(known !== undefined && { txid: known }) }, ...returns];
}
