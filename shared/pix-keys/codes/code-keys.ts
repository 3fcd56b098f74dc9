import * as z from 'zod';
import { keys, relayed } from '#shared/platform/table/keys.ts';
import type { CodeName } from '../model.ts';

const InsertShape = z.object({
  eventName: z.literal('INSERT'),
  dynamodb: z.object({ Keys: z.object({ PK: z.object({ S: z.string() }), SK: z.object({ S: z.string() }) }) }),
});

/** The id under which a code is due. */
export function dueIdOfCode({ accountId, validationId, number }: CodeName): string {
  return [accountId, validationId, number].join('#');
}

export function codeOfDueId(id: string): CodeName {
  const [accountId = '', validationId = '', number] = id.split('#');
  return { accountId, validationId, number: Number(number) };
}

/**
 * The codes that stream records say were inserted; a record's key says which. Other records are passed over: the
 * stream's filter is configuration, this is the rule. `malformed` counts inserts that cannot be understood.
 */
export function insertedCodes(records: readonly unknown[]): {
  readonly codes: readonly (CodeName & { readonly companyId: string })[];
  readonly malformed: number;
} {
  const inserts = records.flatMap((record) => {
    const key = InsertShape.safeParse(record).data?.dynamodb.Keys;
    return key?.SK.S.startsWith(relayed.keyCode) === true ? [{ PK: key.PK.S, SK: key.SK.S }] : [];
  });
  const codes = inserts.flatMap(({ PK, SK }) => {
    const [, companyId = '', , accountId = '', , validationId = ''] = PK.split('#');
    const code = { companyId, accountId, validationId, number: Number(SK.slice(relayed.keyCode.length)) };
    if (!(code.number >= 1)) return [];
    const built = keys.keyCode(companyId, accountId, validationId, code.number);
    // What the parts build again is what they were taken from.
    return built.PK === PK && built.SK === SK ? [code] : [];
  });
  return { codes, malformed: inserts.length - codes.length };
}
