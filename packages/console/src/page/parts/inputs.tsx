import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { isLocalDate } from '#shared/core/brasilia-time.ts';
import { showDate } from '../format.ts';
import { t } from '../language.ts';

type Set = (value: string) => void;
type Input = { label: ComponentChildren; value: string; set: Set };

/** Returns an event handler that passes the value of an input to a function. */
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

/** An input for a day in the page's date format. `<input type="date">` would use the browser's format. */
export function DateInput({ label, value, set, id }: Input & { id?: string }) {
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
        id={id}
        inputmode="numeric"
        size={10}
        placeholder={t().basics.dayForm}
        value={text ?? (value === '' ? '' : showDate(value))}
        onInput={valueTo(write)}
        onBlur={() => {
          setText(undefined);
        }}
      />
    </label>
  );
}
