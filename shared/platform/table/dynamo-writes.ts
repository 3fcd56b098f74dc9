import type { TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import { PutCommand, TransactWriteCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { conditionExpression, placeholders, updateExpression } from './dynamo-expressions.ts';
import type { Table } from './dynamo-reads.ts';
import { bare } from './dynamo-reads.ts';
import type { FailedCondition, Item, Put, Store, Update, Write, WriteOneOutcome, WriteOutcome } from './store.ts';
import { ItemContended, keyOf } from './store.ts';

type TransactItem = NonNullable<TransactWriteCommandInput['TransactItems']>[number];
type RawItem = Parameters<typeof unmarshall>[0];

/*
 * Assertions of this file: `send` has an overload for each command; errors carry their details in members without a
 * type here; items have the attributes that were written.
 */

export function dynamoWrites({
  client,
  tableName,
  retry,
  contention,
  measure,
  count,
}: Table): Pick<Store, 'write' | 'writeOne'> {
  return {
    writeOne: async (write) => {
      const command =
        'put' in write
          ? new PutCommand({ ...putInput(write, tableName), ReturnConsumedCapacity: measure })
          : new UpdateCommand({
              ...updateInput(write, tableName),
              ReturnValues: 'ALL_NEW',
              ReturnConsumedCapacity: measure,
            });
      return retry(async (): Promise<WriteOneOutcome> => {
        try {
          const response = await client.send(command as PutCommand);
          count('write', response.ConsumedCapacity);
          return 'update' in write ? { ok: true, after: response.Attributes as Item } : { ok: true };
        } catch (error) {
          if (!(error instanceof Error) || error.name !== 'ConditionalCheckFailedException') throw error;
          const raw = (error as { Item?: RawItem }).Item;
          return { ok: false, failed: [failedCondition(0, raw)] };
        }
      });
    },
    write: async (writes, token, { renewed, contended = [] } = {}) => {
      const inputOf = (given: readonly Write[], ClientRequestToken: string) => ({
        TransactItems: given.map((write) => transactItem(write, tableName)),
        ClientRequestToken,
        ReturnConsumedCapacity: measure,
      });
      let input = inputOf(writes, token);
      let [isRefused, mayBeDone] = [false, false];
      const items = contended.flatMap((index) => writes[index] ?? []).map(keyOf);
      const patienceMs = contention.patienceFor(items);
      const onConflict = (error: unknown, lastedMs: number): void => {
        if (!isConflictOf(contended, error)) return;
        contention.note(items, lastedMs);
        if (lastedMs > patienceMs && !mayBeDone) throw new ItemContended('Other transactions changed the item.');
      };
      return retry(async (): Promise<WriteOutcome> => {
        if (renewed !== undefined && isRefused && !mayBeDone) input = inputOf(renewed(), crypto.randomUUID());
        try {
          const response = await client.send(new TransactWriteCommand(input));
          count('write', response.ConsumedCapacity);
          return { ok: true };
        } catch (error) {
          const failed = failedConditions(error);
          if (failed !== undefined) return { ok: false, failed };
          // After any other failure the write may still happen: the retry keeps its token.
          isRefused = isCancelled(error);
          mayBeDone ||= !isRefused;
          throw error;
        }
      }, onConflict);
    },
  };
}

/** A failed condition returns the item, so that no second read is needed. */
const old = { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } as const;

function putInput(write: Put, TableName: string) {
  const p = placeholders();
  const condition = write.when && { ConditionExpression: conditionExpression(write.when, p) };
  return { TableName, Item: write.put, ...condition, ...p.attributes(), ...old };
}

function updateInput(write: Update, TableName: string) {
  const p = placeholders();
  const UpdateExpression = updateExpression(write, p);
  const ConditionExpression = conditionExpression(write.when, p);
  return { TableName, Key: bare(write.update), UpdateExpression, ConditionExpression, ...p.attributes(), ...old };
}

function transactItem(write: Write, TableName: string): TransactItem {
  if ('put' in write) return { Put: putInput(write, TableName) };
  if ('update' in write) return { Update: updateInput(write, TableName) };
  const p = placeholders();
  if ('check' in write) {
    const ConditionExpression = conditionExpression(write.when, p);
    return { ConditionCheck: { TableName, Key: bare(write.check), ConditionExpression, ...p.attributes(), ...old } };
  }
  const condition = write.when && { ConditionExpression: conditionExpression(write.when, p) };
  return { Delete: { TableName, Key: bare(write.delete), ...condition, ...p.attributes(), ...old } };
}

/**
 * Returns the failed conditions of a cancelled transaction. Undefined if a conflict or throttling is among the causes:
 * then some conditions were not checked, and the transaction is retried.
 */
function failedConditions(error: unknown): readonly FailedCondition[] | undefined {
  const reasons = reasonsOf(error);
  if (reasons === undefined) return undefined;
  const codes = new Set(reasons.map((reason) => reason.Code ?? 'None'));
  codes.delete('None');
  codes.delete('ConditionalCheckFailed');
  if (codes.size > 0) return undefined;
  const failed = reasons.flatMap((reason, index) =>
    reason.Code === 'ConditionalCheckFailed' ? [failedCondition(index, reason.Item)] : [],
  );
  return failed.length > 0 ? failed : undefined;
}

/** Whether a transaction was cancelled by conflicts on writes with these indexes, and on no other. */
function isConflictOf(indexes: readonly number[], error: unknown): boolean {
  const conflicting = (reasonsOf(error) ?? []).flatMap(({ Code }, index) =>
    Code === 'TransactionConflict' ? [index] : [],
  );
  return conflicting.length > 0 && conflicting.every((index) => indexes.includes(index));
}

/** The reasons of a cancelled transaction, one for each of its writes. */
function reasonsOf(error: unknown): readonly { readonly Code?: string; readonly Item?: RawItem }[] | undefined {
  if (!isCancelled(error)) return undefined;
  return (error as { CancellationReasons?: readonly { Code?: string; Item?: RawItem }[] }).CancellationReasons;
}

function isCancelled(error: unknown): boolean {
  return error instanceof Error && error.name === 'TransactionCanceledException';
}

/** The document client leaves an error's item unmarshalled. */
function failedCondition(index: number, item: RawItem | undefined): FailedCondition {
  const nothing = item === undefined || Object.keys(item).length === 0;
  return nothing ? { index } : { index, item: unmarshall(item) as Item };
}
