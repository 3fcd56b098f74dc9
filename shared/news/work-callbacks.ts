import { nowMs } from '../platform/clock.ts';
import { errorFields, log } from '../platform/log.ts';
import { emit } from '../platform/metrics.ts';
import { applyNews } from './apply-news.ts';
import type { NewsDependencies, NewsEnd } from './context.ts';
import { newsContext } from './context.ts';
import type { NewsMessage } from './news.ts';
import { parseNewsMessage } from './news.ts';

/** A message as the queue has it. */
type QueuedMessage = { readonly messageId: string; readonly body: string };

/**
 * Applies what banks called about, all at once; the same thing of one receive once. A thing that its bank or the
 * company does not know is counted and is no error: the lists hear of it again.
 * @returns the ids of messages that the queue must keep
 */
export async function workCallbacks(
  messages: readonly QueuedMessage[],
  deps: NewsDependencies,
): Promise<readonly string[]> {
  const groups = Map.groupBy(messages, ({ body }) => body);
  let unknown = 0;
  const kept = await Promise.all(
    [...groups].map(async ([body, same]) => {
      const message = parseNewsMessage(body);
      if (message === undefined) {
        log('error', 'malformed message in the queue of callbacks');
        return [];
      }
      try {
        if ((await applyMessage(message, deps)) === 'UNKNOWN') unknown += 1;
        return [];
      } catch (error) {
        const { companyId, news } = message;
        log('warn', 'callback not applied', { companyId, kind: news.kind, ...errorFields(error) });
        return same.map(({ messageId }) => messageId);
      }
    }),
  );
  emit(nowMs(), { worker: 'apply-callbacks' }, [
    { name: 'CallbackIdsUnknown', unit: 'Count', value: unknown },
    { name: 'JobsFailed', unit: 'Count', value: kept.flat().length },
  ]);
  return kept.flat();
}

async function applyMessage({ companyId, news }: NewsMessage, deps: NewsDependencies): Promise<NewsEnd> {
  const context = await newsContext(deps, companyId);
  return context === undefined ? 'UNKNOWN' : applyNews(context, news);
}
