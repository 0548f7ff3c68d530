/** Calls a tool as an agent would, with a form from its schema, and shows what it answers. */
import {
  Alert,
  Button,
  Checkbox,
  Group,
  NumberInput,
  Select,
  Stack,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core';
import { useMemo, useState } from 'react';
import { useFormats } from '../../kit/use-formats.ts';
import type { Tool, ToolTest } from '../../sdk/index.ts';
import { ErrorNote } from '../parts/error-note.tsx';
import { Json } from '../parts/json.tsx';
import { useSubmit } from '../parts/use-submit.ts';
import { useTenant } from '../shell/tenant.tsx';
import { useTexts } from '../texts/index.ts';
import { readSchemaFields, type SchemaField, toArguments } from './schema-fields.ts';

export function TryTool({ tool: { toolId, inputSchema } }: { readonly tool: Tool }) {
  const texts = useTexts().tools;
  const { client } = useTenant();
  const fields = useMemo(() => readSchemaFields(inputSchema), [inputSchema]);
  const [typed, setTyped] = useState<ReadonlyMap<string, string>>(new Map());
  const [all, setAll] = useState('{}');
  const [result, setResult] = useState<ToolTest>();
  const { isRunning, error, submit } = useSubmit(async () => {
    setResult(undefined);
    const given =
      fields === undefined ? (JSON.parse(all) as Record<string, unknown>) : toArguments(fields, typed);
    setResult(await client.tools.test(toolId, { arguments: given }));
  });
  return (
    <form onSubmit={submit}>
      <Stack gap="sm" maw={720}>
        {fields === undefined ? (
          <Textarea
            label={texts.arguments}
            autosize
            minRows={3}
            value={all}
            onChange={event => setAll(event.currentTarget.value)}
          />
        ) : (
          fields.map(field => (
            <Field
              key={field.name}
              field={field}
              text={typed.get(field.name) ?? ''}
              onChange={text => setTyped(before => new Map(before).set(field.name, text))}
            />
          ))
        )}
        {fields?.length === 0 && (
          <Text size="sm" c="dimmed">
            {texts.noArguments}
          </Text>
        )}
        {error !== undefined && <ErrorNote error={error} />}
        <Group>
          <Button type="submit" loading={isRunning}>
            {texts.call}
          </Button>
        </Group>
        {result !== undefined && <Result result={result} />}
      </Stack>
    </form>
  );
}

interface FieldProps {
  readonly field: SchemaField;
  readonly text: string;
  readonly onChange: (text: string) => void;
}

function Field({ field, text, onChange }: FieldProps) {
  const { name, kind, description, isRequired, choices } = field;
  const shared = { label: name, description, required: isRequired };
  switch (kind) {
    case 'boolean':
      return (
        <Checkbox
          label={name}
          description={description}
          checked={text === 'true'}
          onChange={event => onChange(String(event.currentTarget.checked))}
        />
      );
    case 'choice':
      return (
        <Select
          {...shared}
          clearable
          value={text === '' ? null : text}
          onChange={value => onChange(value ?? '')}
          data={choices}
        />
      );
    case 'number':
    case 'integer':
      return (
        <NumberInput
          {...shared}
          allowDecimal={kind === 'number'}
          value={text}
          onChange={value => onChange(String(value))}
        />
      );
    case 'json':
      return (
        <Textarea {...shared} autosize value={text} onChange={event => onChange(event.currentTarget.value)} />
      );
    case 'text':
      return <TextInput {...shared} value={text} onChange={event => onChange(event.currentTarget.value)} />;
  }
}

function Result({ result }: { readonly result: ToolTest }) {
  const texts = useTexts().tools;
  const formats = useFormats();
  const { status, httpStatus, durationMs, error, result: answer } = result;
  return (
    <div role="status">
      <Alert color={status === 'succeeded' ? 'green' : 'red'} p="xs" mb="xs">
        {texts.results[status]} · {httpStatus ?? texts.noAnswer} · {formats.number(durationMs)} ms
        {error !== null && ` · ${error}`}
      </Alert>
      {answer != null && <Json label={texts.answer} value={answer} />}
    </div>
  );
}
