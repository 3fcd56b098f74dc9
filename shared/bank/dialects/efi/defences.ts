import * as z from 'zod';
import type { Connected } from '#shared/bank/connected.ts';
import type { CallContext, CommandOutcome, FoundCommand } from '#shared/bank/outcome.ts';
import { responseTimeoutMs } from '#shared/bank/outcome.ts';
import type { DefenceOrder, DefenceState, UncheckedDefences } from '#shared/bank/ports/defences.ts';
import type { ListedClaim } from '#shared/bank/ports/reader.ts';
import { plusSeconds } from '#shared/core/brasilia-time.ts';
import { outcomeOf } from '#shared/bank/calls/outcomes.ts';
import { bankReader } from './reader.ts';
import { visibleText } from './states.ts';

const sent: DefenceState = { status: 'SENT' };

/** Pages that a look-up reads of each window. */
const pagesAtMost = 10;
const daySeconds = 86_400;
/**
 * Windows of a look-up, in seconds from the creation of the claim. Efí does not say which of its times the list selects
 * by: the second window has the payment, too, which is claimed within 80 days (BCB, MED).
 */
const windows = [
  { from: -1, to: 1 },
  { from: -90 * daySeconds, to: daySeconds },
] as const;

/**
 * Defences of claims (Efí, `POST /v2/gn/infracoes/{idInfracao}/defesa`). The bank confirms one with a sentence, which
 * is no JSON: the list of claims shows whether it has the defence.
 */
export function efiDefences({ client }: Connected): UncheckedDefences {
  const find = async (order: DefenceOrder, { at, signal }: CallContext): Promise<FoundCommand<DefenceState>> => {
    const { listClaims } = bankReader(client, () => at);
    for (const window of windows) {
      const [from, to] = [plusSeconds(order.claimedAt, window.from), plusSeconds(order.claimedAt, window.to)];
      let pages = 1;
      for (let page = 0; page < Math.min(pages, pagesAtMost) && !signal.aborted; page += 1) {
        const found = await listClaims(from, to, page, responseTimeoutMs);
        pages = found.pages;
        const claim = found.items.find(({ claimId }) => claimId === order.claimId);
        if (claim !== undefined) return outcomeIn(claim, order);
      }
    }
    return { outcome: 'UNKNOWN' };
  };
  return {
    submit: async (order, { signal }): Promise<CommandOutcome<DefenceState>> => {
      const path = `/v2/gn/infracoes/${encodeURIComponent(order.claimId)}/defesa`;
      // `analise` is the receiver's view of the claim: this one contests it.
      const body = { analise: 'rejeitado', justificativa: justificationOf(order) };
      return outcomeOf(client, await client.command({ method: 'POST', path, body, signal }), z.unknown(), () => sent);
    },
    find,
  };
}

/** Returns the text of a defence. Efí takes no files: their addresses follow the answer. */
function justificationOf({ text, documents }: Pick<DefenceOrder, 'text' | 'documents'>): string {
  return documents.length === 0 ? text : `${text}\n\nDocumentos:\n${documents.join('\n')}`;
}

function outcomeIn(
  { status, defence, isDefended }: ListedClaim,
  order: Pick<DefenceOrder, 'text' | 'documents'>,
): FoundCommand<DefenceState> {
  if (isDefended && (defence === undefined || isSameText(defence, justificationOf(order))))
    return { outcome: 'DONE', state: sent };
  if (isDefended) return { outcome: 'REFUSED', reason: 'The bank has another defence of this claim.' };
  if (status === 'OPEN') return { outcome: 'NEVER_SEEN' };
  return { outcome: 'REFUSED', reason: 'The bank has decided about this claim.' };
}

/** Characters that a bank keeps of a text at least, if it cuts one. */
const keptAtLeast = 100;

/** Whether the bank has this text, which it may have cut. @param kept as the list shows it: on one line */
function isSameText(kept: string, given: string): boolean {
  const text = visibleText(given) ?? '';
  return kept === text || (kept.length >= keptAtLeast && text.startsWith(kept));
}
