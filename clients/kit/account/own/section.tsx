/** A part of the account, and the fields that several of them have. */
import { PasswordInput, Text, TextInput, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './section.module.css';
import { useOwnTexts } from './texts.ts';

interface SectionProps {
  readonly title: string;
  readonly intro?: string;
  readonly children: ReactNode;
}

export function Section({ title, intro, children }: SectionProps) {
  return (
    <section className={classes['section']} aria-label={title}>
      <Title order={2} size="h3">
        {title}
      </Title>
      {intro !== undefined && <Text size="sm">{intro}</Text>}
      {children}
    </section>
  );
}

interface FieldProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** The password that the account has now. */
export function PresentPassword({ value, onChange }: FieldProps) {
  const { presentPassword } = useOwnTexts();
  return (
    <PasswordInput
      label={presentPassword}
      autoComplete="current-password"
      required
      value={value}
      onChange={event => onChange(event.currentTarget.value)}
    />
  );
}

/** A code of the app, or, where that is said, a recovery code. */
export function CodeField({
  value,
  onChange,
  isAppOnly = false,
}: FieldProps & { readonly isAppOnly?: boolean }) {
  const { code, codeOrRecovery } = useOwnTexts();
  return (
    <TextInput
      label={isAppOnly ? code : codeOrRecovery}
      autoComplete="one-time-code"
      inputMode={isAppOnly ? 'numeric' : 'text'}
      maxLength={32}
      required
      value={value}
      onChange={event => onChange(event.currentTarget.value)}
    />
  );
}
