/** The fields of the account forms, and what is wrong with what is in them. */
import { PasswordInput, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useKitTexts } from '../texts/index.ts';
import { isEmail, isPassword } from './problems.ts';

interface Values {
  email: string;
  password: string;
}

/** A form with the fields that the page shows. */
export function useAccountForm(
  shown: {
    readonly email?: true;
    readonly password?: 'current' | 'new' | undefined;
  },
  email = '',
) {
  const texts = useKitTexts().account;
  return useForm<Values>({
    mode: 'uncontrolled',
    initialValues: { email, password: '' },
    validate: {
      email: text => (shown.email === undefined || isEmail(text) ? null : texts.emailForm),
      password: text => {
        if (shown.password === 'new') return isPassword(text) ? null : texts.passwordLength;
        return shown.password === undefined || text !== '' ? null : texts.required;
      },
    },
  });
}

export type AccountForm = ReturnType<typeof useAccountForm>;

interface EmailFieldProps {
  readonly form: AccountForm;
  readonly autoFocus?: boolean;
}

export function EmailField({ form, autoFocus = true }: EmailFieldProps) {
  const texts = useKitTexts().account;
  return (
    <TextInput
      label={texts.email}
      type="email"
      autoComplete="username"
      autoFocus={autoFocus}
      data-autofocus={autoFocus || undefined}
      key={form.key('email')}
      {...form.getInputProps('email')}
    />
  );
}

interface PasswordFieldProps {
  readonly form: AccountForm;
  readonly is: 'current' | 'new';
  readonly autoFocus?: boolean;
}

export function PasswordField({ form, is, autoFocus = false }: PasswordFieldProps) {
  const texts = useKitTexts().account;
  const isNew = is === 'new';
  return (
    <PasswordInput
      label={isNew ? texts.newPassword : texts.password}
      description={isNew ? texts.passwordHint : undefined}
      autoComplete={`${is}-password`}
      autoFocus={autoFocus}
      data-autofocus={autoFocus || undefined}
      key={form.key('password')}
      {...form.getInputProps('password')}
    />
  );
}
