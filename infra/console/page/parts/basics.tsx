import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { Ask } from '#infra/console/protocol.ts';
import { curlOf } from '../requests.ts';
import { environment } from '../api.ts';

const tones: Readonly<Record<string, string>> = {
  ...{ PAID: 'good', ACCEPTED: 'good', ACTIVE: 'good', COMPLETED: 'good', DELIVERED: 'good', SETTLED: 'good' },
  ...{ PENDING: 'waits', PENDING_AUTHORIZATION: 'waits', INITIAL: 'waits', HELD: 'waits', UNKNOWN: 'waits' },
  ...{ ERROR: 'bad', FAILED: 'bad', REJECTED: 'bad', PARTIALLY_PAID: 'bad', CANCELED_INSUFFICIENT_BALANCE: 'bad' },
};

export function Status({ of }: { of: string }) {
  return <span class={`status ${tones[of] ?? 'ended'}`}>{of}</span>;
}

/** A request as a line for the shell, behind a word. */
export function Curl({ of, label = 'curl' }: { of: Ask; label?: string }) {
  const [copied, setCopied] = useState(false);
  const known = environment.value;
  if (known === undefined) return null;
  const text = curlOf(known, of);
  const copy = (): void => {
    void navigator.clipboard.writeText(text).then(() => {
      setCopied(true);
    });
  };
  return (
    <details class="curl">
      <summary>{label}</summary>
      <pre tabIndex={0}>{text}</pre>
      <button type="button" onClick={copy}>
        {copied ? 'Copied' : 'Copy'}
      </button>
    </details>
  );
}

/** Names and values, the values as they are given. */
export function Facts({ of }: { of: readonly (readonly [string, ComponentChildren])[] }) {
  return (
    <dl class="facts">
      {of
        .filter(([, value]) => value !== undefined && value !== null && value !== '')
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}

/**
 * A table that scrolls by itself where it is too wide. A group, not a region: the section around it often has its name,
 * and landmarks of one name cannot be told apart. A column without a name has what can be done.
 */
export function Table({
  name,
  columns,
  children,
}: {
  name: string;
  columns: readonly string[];
  children: ComponentChildren;
}) {
  return (
    <div class="table" role="group" aria-label={name} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column} scope="col" class={column.startsWith('R$') ? 'number' : ''}>
                {column === '' ? <span class="unseen">Actions</span> : column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}

/** The beginning of an id, the whole of it for whoever points at it. */
export function Id({ of }: { of: string }) {
  return (
    <code class="id" title={of}>
      {of.slice(0, 8)}
    </code>
  );
}
