import { useState } from 'preact/hooks';
import type { Ask } from '#console/protocol.ts';
import { Curl } from './basics.tsx';
import { valueTo } from './inputs.tsx';
import { ActButton } from './record.tsx';

/** A request with one text that is written beside its button. */
export function WrittenRequest({
  label,
  input,
  asked,
}: {
  label: string;
  input: string;
  asked: (text: string) => Ask;
}) {
  const [text, setText] = useState('');
  const now = asked(text.trim());
  return (
    <>
      <div class="cure">
        <label>
          {input} <input value={text} spellcheck={false} onInput={valueTo(setText)} />
        </label>
        <ActButton
          label={label}
          asked={now}
          tone="danger"
          then={() => {
            setText('');
          }}
        />
      </div>
      <Curl of={now} label={`${label}, curl`} />
    </>
  );
}
