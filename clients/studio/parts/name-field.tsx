/** The name of something, where a form begins: it has the focus. */
import { TextInput } from '@mantine/core';

interface NameFieldProps {
  readonly label: string;
  readonly description?: string;
  /** Default 256. */
  readonly maxLength?: number;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

export function NameField({ maxLength = 256, onChange, ...props }: NameFieldProps) {
  return (
    <TextInput
      {...props}
      required
      data-autofocus
      maxLength={maxLength}
      onChange={event => onChange(event.currentTarget.value)}
    />
  );
}
