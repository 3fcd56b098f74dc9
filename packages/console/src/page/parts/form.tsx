import type { ComponentChildren } from 'preact';
import type { FormField } from '#console/protocol.ts';
import type { Detail } from '../api.ts';
import { t } from '../language.ts';
import { DateInput, valueTo } from './inputs.tsx';

/** A request body, possibly incomplete. */
export type Body = Readonly<Record<string, unknown>>;

/** Options by field name that the OpenAPI document does not list: the company's accounts. */
export type Choices = Readonly<Record<string, readonly (readonly [value: string, name: string])[]>>;

type Part = {
  fields: readonly FormField[];
  value: Body;
  set: (value: Body) => void;
  /** Field errors of the whole body. */
  details: readonly Detail[];
  choices: Choices;
  /** The path of the object of these fields, with a dot at the end. */
  path?: string;
};

/** Shows the fields of an object, each with its description from the OpenAPI document and its errors. */
export function FormFields({ fields, value, set, details, choices, path = '' }: Part) {
  return (
    <>
      {fields.map((field) => (
        <OneField
          key={field.name}
          field={field}
          path={`${path}${field.name}`}
          value={value[field.name]}
          details={details}
          choices={choices}
          set={(inner) => {
            const { [field.name]: _before, ...others } = value;
            set(inner === undefined ? others : { ...value, [field.name]: inner });
          }}
        />
      ))}
    </>
  );
}

type One = {
  field: FormField;
  path: string;
  value: unknown;
  set: (value: unknown) => void;
  details: readonly Detail[];
  choices: Choices;
};

function OneField(props: One) {
  const { field, path, details } = props;
  const own = details.filter((detail) => detail.field === path);
  const id = `field-${path}`;
  const hint = (
    <p class="hint" id={`${id}-hint`}>
      {own.map(({ issue, description }) => (
        <strong key={issue} class="fault">
          {issue}: {description}{' '}
        </strong>
      ))}
      <Marked text={field.description} />
    </p>
  );
  const classes = ['field', field.kind === 'group' ? 'group' : '', own.length > 0 ? 'faulty' : ''];
  return (
    <div class={classes.filter(Boolean).join(' ')} data-field={path}>
      {field.kind === 'group' ? (
        <Group {...props} hint={hint} />
      ) : (
        <>
          <Leaf {...props} id={id} isFaulty={own.length > 0} />
          {hint}
        </>
      )}
    </div>
  );
}

/** Shows a text of the OpenAPI document, in which codes stand between backticks. */
function Marked({ text }: { text: string }) {
  return <>{text.split('`').map((part, at) => (at % 2 === 1 ? <code key={at}>{part}</code> : part))}</>;
}

/** A nested object. An optional object appears after a click on its button. */
function Group({ field, path, value, set, details, choices, hint }: One & { hint: ComponentChildren }) {
  if (value === undefined && !field.isRequired)
    return (
      <>
        <button
          type="button"
          class="add"
          onClick={() => {
            set(emptyOf(field));
          }}
        >
          + {field.name}
        </button>
        {hint}
      </>
    );
  return (
    <fieldset>
      <legend>
        <code>{field.name}</code>
        {!field.isRequired && (
          <button
            type="button"
            class="copy"
            aria-label={t().forms.leaveOut(field.name)}
            onClick={() => {
              set(undefined);
            }}
          >
            ×
          </button>
        )}
      </legend>
      {hint}
      <FormFields
        fields={field.fields}
        value={(value ?? {}) as Body}
        set={set}
        details={details}
        choices={choices}
        path={`${path}.`}
      />
    </fieldset>
  );
}

/** Returns the initial value of an object: required fields with only one option, and required objects. */
function emptyOf({ fields }: FormField): Body {
  return Object.fromEntries(
    fields
      .filter(({ isRequired }) => isRequired)
      .flatMap((inner): readonly (readonly [string, unknown])[] => {
        if (inner.kind === 'group') return [[inner.name, emptyOf(inner)]];
        const [only, second] = inner.options;
        return only !== undefined && second === undefined ? [[inner.name, only]] : [];
      }),
  );
}

type LeafProps = One & { id: string; isFaulty: boolean };

function Leaf(props: LeafProps) {
  const { field, value, set, choices, id, isFaulty } = props;
  const shown = typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  const attributes = {
    id,
    'aria-invalid': isFaulty,
    'aria-describedby': `${id}-hint`,
    'aria-required': field.isRequired,
  };
  const write = (text: string): void => {
    if (text === '') set(undefined);
    else set(field.kind === 'number' && /^\d+$/u.test(text) ? Number(text) : text);
  };
  const options = choices[field.name] ?? field.options.map((option) => [option, option] as const);
  if (field.kind === 'flag') return <Flag {...props} />;
  if (field.kind === 'date') return <DateInput id={id} label={<Name of={field} />} value={shown} set={write} />;
  return (
    <>
      <Label id={id} field={field} />
      {options.length > 0 ? (
        <select {...attributes} value={shown} onChange={valueTo(write)}>
          {(!field.isRequired || shown === '') && <option value="" />}
          {options.map(([option, name]) => (
            <option key={option} value={option}>
              {name}
            </option>
          ))}
        </select>
      ) : (
        <input
          {...attributes}
          value={shown}
          spellcheck={false}
          placeholder={field.example}
          inputmode={field.kind === 'number' ? 'numeric' : 'text'}
          onInput={valueTo(write)}
        />
      )}
    </>
  );
}

function Flag({ field, value, set, id }: LeafProps) {
  return (
    <label for={id}>
      <input
        id={id}
        type="checkbox"
        checked={value === true}
        aria-describedby={`${id}-hint`}
        onChange={({ currentTarget: { checked } }) => {
          set(checked ? true : undefined);
        }}
      />{' '}
      <code>{field.name}</code>
    </label>
  );
}

function Label({ id, field }: { id: string; field: FormField }) {
  return (
    <label for={id}>
      <Name of={field} />
    </label>
  );
}

function Name({ of: { name, isRequired } }: { of: FormField }) {
  return (
    <>
      <code>{name}</code>
      {!isRequired && <small> {t().forms.optional}</small>}
    </>
  );
}
