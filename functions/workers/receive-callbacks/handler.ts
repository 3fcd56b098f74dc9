import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { connectionOfCallback } from '#shared/bank/connection.ts';
import { enqueueAll, messagesOf } from '#shared/bank-events/enqueue.ts';
import type { BankEventMessage } from '#shared/bank-events/messages.ts';
import { findOwn } from '#shared/bank-events/own.ts';
import type { CallbackDependencies, CallbackOutcome } from '#shared/bank-events/receive-callback.ts';
import { receiveCallback } from '#shared/bank-events/receive-callback.ts';
import { pick } from '#shared/core/pick.ts';
import { nowMs, systemClock } from '#shared/platform/clock.ts';
import { env } from '#shared/platform/env.ts';
import { errorFields, log } from '#shared/platform/log.ts';
import { emit } from '#shared/platform/metrics.ts';
import { sendMessages } from '#shared/platform/sqs.ts';
import { takeCalls } from '#shared/platform/rate-limit.ts';
import { settings } from '#shared/platform/settings.ts';
import { connectStore } from '#shared/platform/table/dynamo-store.ts';

type Event = Pick<APIGatewayProxyEvent, 'pathParameters' | 'body' | 'isBase64Encoded'> & {
  readonly requestContext: { readonly identity: { readonly clientCert?: { readonly subjectDN?: string } | null } };
};

let deps: CallbackDependencies | undefined;

/** A bank's callback → the queues of callbacks. Logs hold outcomes and ids of companies, never the path or the body. */
export async function handler(event: Event): Promise<APIGatewayProxyResult> {
  const heard = await receive(event);
  const { status, outcome, ids, companyId } = heard;
  emit(nowMs(), 'outcome', { outcome: status === 200 ? 'TAKEN' : status === 503 ? 'FAILED' : 'REFUSED' }, [
    { name: 'Callbacks', unit: 'Count', value: 1 },
    { name: 'CallbackIds', unit: 'Count', value: ids },
  ]);
  if (status !== 200) log('warn', 'Callback not accepted', { outcome, ids, companyId });
  return { statusCode: status, headers: { 'content-type': 'application/json' }, body: '{}' };
}

async function receive({ pathParameters, body, isBase64Encoded, requestContext }: Event): Promise<CallbackOutcome> {
  try {
    return await receiveCallback(
      {
        token: pathParameters?.['token'] ?? '',
        subject: requestContext.identity.clientCert?.subjectDN,
        body: Buffer.from(body ?? '', isBase64Encoded ? 'base64' : 'utf8'),
      },
      (deps ??= dependencies()),
    );
  } catch (error) {
    log('error', 'Cannot process a callback', errorFields(error));
    return { status: 503, outcome: 'FAILED', ids: 0 };
  }
}

function dependencies(): CallbackDependencies {
  const store = connectStore(env('TABLE_NAME'));
  return {
    findCallee: async (token) => {
      const connection = await connectionOfCallback(store, token);
      if (connection === undefined) return undefined;
      const { companyId, id: connectionId, dialect, callback } = connection;
      return { companyId, connectionId, dialect, ...pick(callback, 'subject') };
    },
    takeQuota: (companyId, ids) =>
      takeCalls({ store, now: systemClock, random: Math.random }, companyId, ids, settings().bankCallbacks.idsAMinute),
    findOwn: (companyId, events) => findOwn(store, companyId, events),
    enqueue: async (callee, lanes) => {
      const { own, unknown } = messagesOf(callee, lanes);
      const isOwnQueued = await enqueueAll(own, sendTo(env('CALLBACK_QUEUE_URL')));
      return isOwnQueued && enqueueAll(unknown, sendTo(env('CALLBACK_UNKNOWN_QUEUE_URL')));
    },
  };
}

/** Sends messages with the company as message group, so that SQS serves companies fairly. */
const sendTo = (queueUrl: string) => async (batch: readonly BankEventMessage[]) => {
  const refused = await sendMessages(
    queueUrl,
    batch.map((message) => ({ body: message, companyId: message.companyId })),
  );
  return refused.size === 0;
};
