import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { Ask } from '#console/protocol.ts';
import { curlOf } from '../requests.ts';
import type { Detail } from '../api.ts';
import { environment } from '../api.ts';
import { t } from '../language.ts';
import { linkTo } from '../route.ts';
import { toneOf } from '../tone.ts';

export function Status({ of, tone = toneOf(of) }: { of: string; tone?: string }) {
  return <span class={`status ${tone}`}>{of}</span>;
}

/** Shows the field errors of a request. */
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

/** A button that copies a text and confirms it for a moment. */
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

/** Shows a text with a button to copy it. */
export function Code({ text, what }: { text: string; what: string }) {
  return (
    <div class="copied">
      <pre tabIndex={0}>{text}</pre>
      <Copy text={text} what={what} />
    </div>
  );
}

/** Shows a shell command, with an idempotency key that stays the same, and where its token comes from. */
export function Command({ of, what }: { of: (key: string) => string; what: string }) {
  const [key] = useState(() => crypto.randomUUID());
  return (
    <>
      <Code text={of(key)} what={what} />
      <p class="quiet">{t().basics.whereTokenIs}</p>
    </>
  );
}

/** Shows a request as a shell command. */
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

/** Shows names and values. Leaves out names without a value. */
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

/** Shows the beginning of an id, with the whole id as its title. */
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

/** The text in place of an empty list or section: its usual content, and how to create some. */
export function Nothing({ children }: { children: ComponentChildren }) {
  return <p class="nothing">{children}</p>;
}
