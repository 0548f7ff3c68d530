/** The e-mail address and the password of the account: both change with the present password. */
import { Button, PasswordInput, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { skein } from '../../browser-session.ts';
import { useKitTexts } from '../../texts/index.ts';
import { Done, Problem } from '../account-page.tsx';
import { MailboxLink } from '../mailbox-link.tsx';
import { isEmail, isPassword } from '../problems.ts';
import { SecondFactorCode, withSecondFactor } from './second-factor-proof.tsx';
import { PresentPassword, Section } from './section.tsx';
import classes from './section.module.css';
import { useForm } from './use-form.ts';
import { useOwnTexts } from './texts.ts';

export function EmailSection() {
  const { changeEmail } = useKitTexts().account;
  const texts = useOwnTexts().email;
  const { data: me } = useQuery({ queryKey: ['me'], queryFn: () => skein.auth.me(), staleTime: Infinity });
  const [newEmail, setNewEmail] = useState('');
  const [password, setPassword] = useState('');
  const [mailedTo, setMailedTo] = useState<string>();
  const email = newEmail.trim();
  const form = useForm(
    () => skein.account.changeEmail({ newEmail: email, password }),
    () => {
      setMailedTo(email);
      setNewEmail('');
      setPassword('');
    },
    { ssoRequired: changeEmail.ssoRequired, tooMany: texts.tooMany },
  );
  return (
    <Section title={texts.title} intro={texts.intro}>
      {me !== undefined && (
        <Text size="sm" fw={600}>
          <bdi>{me.email}</bdi>
        </Text>
      )}
      <form className={classes['form']} onSubmit={form.submit}>
        <TextInput
          label={texts.newEmail}
          type="email"
          autoComplete="email"
          required
          value={newEmail}
          onChange={event => setNewEmail(event.currentTarget.value)}
        />
        <PresentPassword value={password} onChange={setPassword} />
        <Problem text={form.problem} />
        <Done text={mailedTo === undefined ? undefined : texts.mailed(mailedTo)} />
        {mailedTo !== undefined && <MailboxLink />}
        <Button
          type="submit"
          variant="default"
          loading={form.isSending}
          disabled={!isEmail(email) || password === ''}
        >
          {texts.submit}
        </Button>
      </form>
    </Section>
  );
}

export function PasswordSection({ onEnded }: { readonly onEnded: () => void }) {
  const { account } = useKitTexts();
  const texts = useOwnTexts().password;
  const [password, setPassword] = useState('');
  const [newPassword, setNewPassword] = useState('');
  const [code, setCode] = useState('');
  const [isDone, setDone] = useState(false);
  const form = useForm(
    () => withSecondFactor(code, proof => skein.account.changePassword({ password, newPassword, ...proof })),
    () => {
      setDone(true);
      setCode('');
      setPassword('');
      setNewPassword('');
      onEnded();
    },
  );
  return (
    <Section title={texts.title} intro={texts.intro}>
      <form className={classes['form']} onSubmit={form.submit}>
        <PresentPassword value={password} onChange={setPassword} />
        <PasswordInput
          label={account.newPassword}
          description={account.passwordHint}
          autoComplete="new-password"
          required
          value={newPassword}
          onChange={event => {
            setDone(false);
            setNewPassword(event.currentTarget.value);
          }}
        />
        <SecondFactorCode value={code} onChange={setCode} />
        <Problem text={form.problem} />
        <Done text={isDone ? texts.done : undefined} />
        <Button
          type="submit"
          variant="default"
          loading={form.isSending}
          disabled={password === '' || !isPassword(newPassword)}
        >
          {texts.submit}
        </Button>
      </form>
    </Section>
  );
}
