import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { Ask } from '#infra/console/protocol.ts';
import { curlOf } from '../requests.ts';
import { isLocalDate } from '#shared/core/brasilia-time.ts';
import type { Detail } from '../api.ts';
import { environment } from '../api.ts';
import { showDate } from '../format.ts';
import { linkTo } from '../place.ts';

const tones: Readonly<Record<string, string>> = {
  ...{ PAID: 'good', ACCEPTED: 'good', ACTIVE: 'good', COMPLETED: 'good', DELIVERED: 'good', SETTLED: 'good' },
  ...{ PENDING: 'waits', PENDING_AUTHORIZATION: 'waits', INITIAL: 'waits', HELD: 'waits', UNKNOWN: 'waits' },
  ...{ ERROR: 'bad', FAILED: 'bad', REJECTED: 'bad', PARTIALLY_PAID: 'bad', CANCELED_INSUFFICIENT_BALANCE: 'bad' },
};

export function Status({ of }: { of: string }) {
  return <span class={`status ${tones[of] ?? 'ended'}`}>{of}</span>;
}

/** Faulty fields of a request. */
export function FieldErrors({ of = [] }: { of?: readonly Detail[] | undefined }) {
  return (
    <>
      {of.map(({ field, issue, description }) => (
        <div key={`${field} ${issue}`}>
          <code>{field}</code> {issue}: {description}
        </div>
      ))}
    </>
  );
}

/** A section with a heading, which also names it unless it has a label. */
export function Section({ title, label = title, children, ...rest }: SectionProps) {
  return (
    <section aria-label={label} {...rest}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}
type SectionProps = { title: string; label?: string; class?: string; children: ComponentChildren };

/** A request as a command of the shell. */
export function Curl({ of, label = 'curl' }: { of: Ask; label?: string }) {
  const [copied, setCopied] = useState(false);
  const known = environment.value;
  if (known === undefined) return null;
  const text = curlOf(known, of);
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
  };
  return (
    <details class="curl">
      <summary>{label}</summary>
      <pre tabIndex={0}>{text}</pre>
      <button type="button" onClick={() => void copy()}>
        {copied ? 'Copied' : 'Copy'}
      </button>
    </details>
  );
}

/** Names and values; one without a value is left out. */
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

type LinksProps = {
  label: string;
  of: readonly (readonly [key: string, title: string, parts: readonly string[]])[];
  current: string | undefined;
  class?: string;
  children?: ComponentChildren;
};

/** Links to screens, one of them current. */
export function Links({ label, of, current, children, ...rest }: LinksProps) {
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

type Set = (value: string) => void;
type Input = { label: string; value: string; set: Set };

/** Gives the value of an input to a function. */
export const valueTo =
  (set: Set) =>
  ({ currentTarget: { value } }: { currentTarget: { value: string } }): void => {
    set(value);
  };

/** A text of several lines. */
export function TextArea({ label, value, set, rows }: Input & { rows: number }) {
  return (
    <label>
      {label}
      <textarea rows={rows} spellcheck={false} value={value} onInput={valueTo(set)} />
    </label>
  );
}

/** A day, written as every other one here: an input of the browser would write it in the browser's own way. */
export function DateInput({ label, value, set }: Input) {
  const [text, setText] = useState<string>();
  const write = (written: string): void => {
    setText(written);
    const day = written.trim().split('/').toReversed().join('-');
    if (isLocalDate(day)) set(day);
  };
  return (
    <label>
      {label}{' '}
      <input
        inputmode="numeric"
        size={10}
        placeholder="dd/mm/yyyy"
        value={text ?? (value === '' ? '' : showDate(value))}
        onInput={valueTo(write)}
        onBlur={() => {
          setText(undefined);
        }}
      />
    </label>
  );
}

/** A column's name and its kind. A column without a name holds actions. */
export type Column = string | readonly [name: string, kind: 'number' | 'long'];
/** One value a column. */
export type Row = { readonly key: string | number; readonly cells: readonly ComponentChildren[] };

/** A table that scrolls. A group, not a region: landmarks need different names, and its section may have the same. */
export function Table({ name, columns, rows }: { name: string; columns: readonly Column[]; rows: readonly Row[] }) {
  const known = columns.map((one) => {
    const [column, kind = ''] = typeof one === 'string' ? [one] : one;
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

/** The beginning of an id; its title is the whole id. */
export function Id({ of, href }: { of: string; href?: string }) {
  const code = <code title={of}>{of.slice(0, 8)}</code>;
  return href === undefined ? code : <a href={href}>{code}</a>;
}
