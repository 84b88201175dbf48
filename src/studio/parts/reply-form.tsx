// A form for a reply: fields by its JSON Schema, or one field for words.

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { fieldsIn, readReply, type Field } from "../data/reply-fields.js";
import { useTask } from "./use-task.js";

interface ReplyProps {
  /** The schema of the reply; undefined for free text. */
  readonly schema: object | undefined;
  readonly placeholder?: string;
  readonly send: (input: unknown) => Promise<void>;
}

/** The form. A schema that fields can't show gets one field for JSON. */
export function ReplyForm({ schema, placeholder = "Answer", send }: ReplyProps): JSX.Element {
  const { problem, isBusy, start } = useTask();
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const fields = fieldsIn(schema, placeholder);
  const submit = async (): Promise<void> => {
    await send(readReply(schema, fields, values));
    setValues({});
  };
  return (
    <form
      class="reply"
      onSubmit={(event) => {
        event.preventDefault();
        start(submit);
      }}
    >
      {fields.map((field) => (
        <FormField
          key={field.name}
          field={field}
          value={values[field.name] ?? ""}
          set={(value) => {
            setValues({ ...values, [field.name]: value });
          }}
        />
      ))}
      <button class="primary" type="submit" disabled={isBusy}>
        Send
      </button>
      {problem !== "" && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
    </form>
  );
}

interface FieldProps {
  readonly field: Field;
  readonly value: string;
  readonly set: (value: string) => void;
}

function FormField({ field, value, set }: FieldProps): JSX.Element {
  const { label, choices, isNumber, isRequired } = field;
  return (
    <label class="reply-field">
      <span class={field.name === "" ? "unseen" : ""}>{label}</span>
      {choices === undefined ? (
        <input
          class="field"
          inputMode={isNumber ? "decimal" : "text"}
          placeholder={field.name === "" ? label : ""}
          value={value}
          required={isRequired}
          onInput={(event) => {
            set(event.currentTarget.value);
          }}
        />
      ) : (
        <select
          value={value}
          required={isRequired}
          onChange={(event) => {
            set(event.currentTarget.value);
          }}
        >
          <option value="" />
          {choices.map((choice) => (
            <option key={choice} value={choice}>
              {choice}
            </option>
          ))}
        </select>
      )}
    </label>
  );
}
