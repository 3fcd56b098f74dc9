import type { DueCount, DueRun } from '#shared/platform/jobs/work-due.ts';
import { workDue } from '#shared/platform/jobs/work-due.ts';
import { insertedCodes, codeOfDueId } from '#shared/pix-keys/codes/code-keys.ts';
import type { OwedCode, SendDeps, SendEnd } from './send-key-code.ts';
import { sendKeyCode } from './send-key-code.ts';

export type SendRun = DueRun & SendDeps;
type SendCounts = Readonly<Record<'KeyCodesSent' | 'KeyCodesKept' | 'KeyCodesRefused' | 'KeyCodesDropped', number>>;

/**
 * Sends the codes that the stream's records say were inserted. What fails is found due by a later run: no record comes
 * twice for it.
 */
export async function sendWrittenCodes(
  run: SendRun,
  records: readonly unknown[],
): Promise<{ readonly counts: SendCounts; readonly failed: number }> {
  const { codes, malformed } = insertedCodes(records);
  const ends: SendEnd[] = [];
  let failed = malformed;
  if (malformed > 0) run.failed({ kind: 'KEY_CODE' }, new Error('The key of a code in the stream is malformed.'));
  await Promise.all(
    codes.map(async (owed) => {
      try {
        ends.push(await sendKeyCode(run, owed));
      } catch (error) {
        failed += 1;
        run.failed({ kind: 'KEY_CODE', companyId: owed.companyId, id: owed.validationId }, error);
      }
    }),
  );
  return { counts: countsOf(ends), failed };
}

/** Sends the codes that are still owed a minute after they were promised. */
export async function sendDueCodes(run: SendRun): Promise<{ readonly counts: SendCounts; readonly due: DueCount }> {
  const ends: SendEnd[] = [];
  const due = await workDue(run, { kind: 'KEY_CODE' }, async ({ companyId, id }) => {
    ends.push(await sendKeyCode(run, { companyId, ...codeOfDueId(id) } satisfies OwedCode));
  });
  return { counts: countsOf(ends), due };
}

function countsOf(ends: readonly SendEnd[]): SendCounts {
  const count = (end: SendEnd): number => ends.filter((one) => one === end).length;
  return {
    KeyCodesSent: count('SENT'),
    KeyCodesKept: count('KEPT'),
    KeyCodesRefused: count('REFUSED'),
    KeyCodesDropped: count('DROPPED'),
  };
}
