import * as z from 'zod';

/** What a receiver may say about itself (specification, 4.8): short, printable, so that it can be kept and shown. */
const AnswerShape = z.object({ returnCode: z.string().regex(/^[\x20-\x7e]{1,64}$/u) });

/** The `returnCode` of a partner's answer, if it is JSON and has one that can be kept. */
export function returnCodeOf(text: string): string | undefined {
  try {
    return AnswerShape.safeParse(JSON.parse(text)).data?.returnCode;
  } catch {
    return undefined;
  }
}
