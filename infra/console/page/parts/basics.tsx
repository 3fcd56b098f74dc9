import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { Ask } from '#infra/console/protocol.ts';
import { curlOf } from '../requests.ts';
import { environment } from '../api.ts';
import { linkTo } from '../place.ts';

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

/** Links to screens, one of them current. */
export function Links({
  label,
  of,
  current,
  children,
  ...rest
}: {
  label: string;
  of: readonly (readonly [key: string, title: string, parts: readonly string[]])[];
  current: string | undefined;
  class?: string;
  children?: ComponentChildren;
}) {
  return (
    <nav aria-label={label} {...rest}>
      {of.map(([key, title, parts]) => (
        <a key={key} href={linkTo(parts)} aria-current={key === current ? 'page' : undefined}>
          {title}
        </a>
      ))}
      {children}
    </nav>
  );
}

type Input = { label: string; value: string; set: (value: string) => void };

/** A text of several lines. */
export function TextArea({ label, value, set, rows }: Input & { rows: number }) {
  return (
    <label>
      {label}
      <textarea
        rows={rows}
        spellcheck={false}
        value={value}
        onInput={({ currentTarget }) => {
          set(currentTarget.value);
        }}
      />
    </label>
  );
}

export function DateInput({ label, value, set }: Input) {
  return (
    <label>
      {label}{' '}
      <input
        type="date"
        value={value}
        onInput={({ currentTarget }) => {
          set(currentTarget.value);
        }}
      />
    </label>
  );
}

/** A column's name and its kind; an amount (`R$ …`) is a number. A column without a name holds actions. */
export type Column = string | readonly [name: string, kind: 'number' | 'long'];
/** One value a column. */
export type Row = { readonly key: string | number; readonly cells: readonly ComponentChildren[] };

/**
 * A table that scrolls by itself where it is too wide. It is a group, not a region: the section around it often has the
 * same name, and landmarks need different names.
 */
export function Table({ name, columns, rows }: { name: string; columns: readonly Column[]; rows: readonly Row[] }) {
  const known = columns.map((one) => {
    const [column, kind = column.startsWith('R$') ? 'number' : ''] = typeof one === 'string' ? [one] : one;
    return { column, kind };
  });
  return (
    <div class="table" role="group" aria-label={name} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {known.map(({ column, kind }) => (
              <th key={column} scope="col" class={kind === 'number' ? kind : ''}>
                {column === '' ? <span class="unseen">Actions</span> : column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ key, cells }) => (
            <tr key={key}>
              {cells.map((cell, at) => (
                <td key={at} class={known[at]?.kind}>
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The beginning of an id, with the whole of it as a title. */
export function Id({ of, href }: { of: string; href?: string }) {
  const code = <code title={of}>{of.slice(0, 8)}</code>;
  return href === undefined ? code : <a href={href}>{code}</a>;
}
