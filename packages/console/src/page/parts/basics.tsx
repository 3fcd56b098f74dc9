import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { Ask } from '#console/protocol.ts';
import { curlOf } from '../requests.ts';
import type { Detail } from '../api.ts';
import { environment } from '../api.ts';
import { t } from '../language.ts';
import { linkTo } from '../route.ts';
import { toneOf } from '../tone.ts';

export function Status({ of }: { of: string }) {
  return <span class={`status ${toneOf(of)}`}>{of}</span>;
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

/** Copies a text; says so for a moment. */
function Copy({ text, what }: { text: string; what: string }) {
  const [copied, setCopied] = useState(false);
  const { copied: done, copy } = t().basics;
  const press = async (): Promise<void> => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    setTimeout(() => {
      setCopied(false);
    }, 1500);
  };
  return (
    <button type="button" class="copy" aria-label={copied ? done : `${copy}: ${what}`} onClick={() => void press()}>
      {copied ? done : copy}
    </button>
  );
}

/** A text that is copied as it stands. */
export function Code({ text, what }: { text: string; what: string }) {
  return (
    <div class="copied">
      <pre tabIndex={0}>{text}</pre>
      <Copy text={text} what={what} />
    </div>
  );
}

/** A command of the shell, with the idempotency key of this place, and where its token comes from. */
export function Command({ of, what }: { of: (key: string) => string; what: string }) {
  const [key] = useState(() => crypto.randomUUID());
  return (
    <>
      <Code text={of(key)} what={what} />
      <p class="quiet">{t().basics.whereTokenIs}</p>
    </>
  );
}

/** A request as a command of the shell. */
export function Curl({ of, label = 'curl' }: { of: Ask; label?: string }) {
  const known = environment.value;
  if (known === undefined) return null;
  return (
    <details class="curl">
      <summary>{label}</summary>
      <Command of={(key) => curlOf(known, of, key)} what={label} />
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

/** The beginning of an id; its title is the whole id. */
export function Id({ of, href }: { of: string; href?: string }) {
  const code = <code title={of}>{of.slice(0, 8)}</code>;
  return href === undefined ? code : <a href={href}>{code}</a>;
}

/** A whole id that can be copied. */
export function WholeId({ of, name = 'id' }: { of: string; name?: string }) {
  return (
    <span class="id">
      <code>{of}</code> <Copy text={of} what={name} />
    </span>
  );
}

/** A list or a section without content: what it would show, and what to do for that. */
export function Nothing({ children }: { children: ComponentChildren }) {
  return <p class="nothing">{children}</p>;
}
