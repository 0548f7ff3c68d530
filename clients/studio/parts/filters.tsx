/** What narrows a list: it takes effect at once, and stands in the address. */
import { Group, Select, Switch, Text, TextInput } from '@mantine/core';
import { useId } from 'react';
import { useTimeZone } from '../../kit/people/use-profile.ts';
import { toInstant, toLocalTime } from './local-time.ts';

interface FilterProps {
  readonly label: string;
  readonly value: string | undefined;
  readonly onChange: (value: string | undefined) => void;
  /** In pixels. */
  readonly width?: number;
}

/** Takes effect when it is left, or by Enter. */
export function TextFilter({
  label,
  value,
  onChange,
  width = 220,
  placeholder = label,
}: FilterProps & { readonly placeholder?: string }) {
  const apply = (text: string): void => {
    const wanted = text.trim() === '' ? undefined : text.trim();
    if (wanted !== value) onChange(wanted);
  };
  return (
    <TextInput
      // Anew where the address has changed meanwhile.
      key={value ?? ''}
      size="xs"
      w={width}
      aria-label={label}
      placeholder={placeholder}
      defaultValue={value ?? ''}
      onBlur={event => apply(event.currentTarget.value)}
      onKeyDown={event => event.key === 'Enter' && apply(event.currentTarget.value)}
    />
  );
}

interface ChoiceFilterProps extends FilterProps {
  /** Says that nothing is chosen. */
  readonly any: string;
  readonly choices: readonly { readonly value: string; readonly label: string }[];
}

export function ChoiceFilter({ label, value, onChange, width = 160, any, choices }: ChoiceFilterProps) {
  return (
    <Select
      size="xs"
      w={width}
      aria-label={label}
      placeholder={any}
      clearable
      searchable={choices.length > 8}
      value={value ?? null}
      onChange={chosen => onChange(chosen ?? undefined)}
      data={choices}
    />
  );
}

/** An instant, in the reader's zone; as TextFilter it takes effect when it is left, or by Enter. */
export function DateFilter({ label, value, onChange, width = 190 }: FilterProps) {
  const id = useId();
  const timeZone = useTimeZone();
  const shown = value === undefined ? '' : toLocalTime(value, timeZone);
  const apply = (text: string): void => {
    if (text !== shown) onChange(toInstant(text, timeZone));
  };
  return (
    <Group gap={6} wrap="nowrap">
      <Text component="label" htmlFor={id} size="xs" c="dimmed">
        {label}
      </Text>
      <TextInput
        key={shown}
        id={id}
        type="datetime-local"
        size="xs"
        w={width}
        defaultValue={shown}
        onBlur={event => apply(event.currentTarget.value)}
        onKeyDown={event => event.key === 'Enter' && apply(event.currentTarget.value)}
      />
    </Group>
  );
}

interface SwitchFilterProps {
  readonly label: string;
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
}

/** What is on or off: whether the list looks again by itself, or shows what is archived. */
export function SwitchFilter({ label, isOn, onChange }: SwitchFilterProps) {
  return (
    <Switch
      size="xs"
      label={label}
      checked={isOn}
      onChange={event => onChange(event.currentTarget.checked)}
      style={{ alignSelf: 'center' }}
    />
  );
}
