import type { DueFamily } from '#shared/platform/jobs/due-kinds.ts';
import type { IndexName } from '#shared/platform/table/store.ts';

/**
 * The access of a function; nothing else is granted. `gets`: reads of single items. `reads`: also queries of the table.
 * `writes`: also conditional writes. Queries of an index are granted index by index.
 */
export type FunctionAccess = {
  readonly table?: 'gets' | 'reads' | 'writes';
  readonly indexes?: readonly IndexName[];
  /** Reaches the partitions of webhook secrets; every other function is denied them, whatever else allows it. */
  readonly secrets?: true;
  /** Reaches the secrets of confirmation codes; every other function is denied their partitions. */
  readonly codeSecrets?: true;
  /** Reads the secret of keyed hashes; every other function is denied its partition, and no function may write it. */
  readonly hashSecret?: true;
  /** Sends confirmation codes: e-mails of the environment's identity, and messages to phones. */
  readonly codes?: 'sends';
  /** Signs roots of statements and certificates with the key of the environment. */
  readonly signs?: true;
  /** Puts signed roots into their bucket; no function reads, replaces or deletes one. */
  readonly roots?: 'puts';
  /** Calls the banks of companies: reads the secrets of their connections, which no other function may. */
  readonly bank?: true;
  /** Reads and stores the issuer's keys, which verify tokens; every other function is denied their partition. */
  readonly issuerKeys?: 'keeps';
  /** Holds a slot for a slow response while the function waits. Only in environments with simulation tools. */
  readonly slowCalls?: 'holds';
  /** Sends due jobs of the family to their queue, and receives them. */
  readonly dueQueue?: DueFamily;
  readonly deliveryQueue?: 'sends' | 'receives';
  /** Sends new codes to the queue of the due jobs that send them. */
  readonly keyCodeQueue?: 'sends';
  readonly drainQueue?: 'sends' | 'receives';
  readonly deadLetterQueue?: 'receives';
  /** Reads API Gateway's warnings about the truststore of the domain that banks call. */
  readonly callbackDomain?: 'reads';
  /** The queues of bank callbacks: ids that a company owns, and unknown ids. */
  readonly callbackQueues?: 'sends' | 'receives';
  /** An event source reads the table's stream with the role of the function, and calls the function with records. */
  readonly stream?: true;
  /** The queue to which the event source of the stream reports records that it stopped retrying. */
  readonly relayFailures?: 'sends';
};

export type RouteAccess = Pick<
  FunctionAccess,
  'indexes' | 'secrets' | 'codeSecrets' | 'hashSecret' | 'bank' | 'signs'
> & {
  readonly table: 'reads' | 'writes';
};
