/**
 * The second factor: set up by password, QR code and a code of the app, then ten recovery codes, which are shown once. What is secret is
 * nowhere but in these components, and gone with them.
 */
import { Button, Code, Group, Stack, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { skein } from '../../browser-session.ts';
import type { SecondFactorEnrolment } from '../../../sdk/index.ts';
import { useFormats } from '../../use-formats.ts';
import { Problem } from '../account-page.tsx';
import { QrCode } from './qr-code.tsx';
import { RecoveryCodes } from './recovery-codes.tsx';
import { CodeField, PresentPassword, Section } from './section.tsx';
import classes from './section.module.css';
import { useForm } from './use-form.ts';
import { useOwnTexts } from './texts.ts';

export const secondFactorKey = ['second-factor'];

/** What the user is doing. */
type Task = 'nothing' | 'settingUp' | 'renewing' | 'removing';

export function SecondFactorSection({ onEnded }: { readonly onEnded: () => void }) {
  const texts = useOwnTexts().secondFactor;
  const formats = useFormats();
  const queries = useQueryClient();
  const { data: state } = useQuery({
    queryKey: secondFactorKey,
    queryFn: () => skein.secondFactor.get(),
  });
  const [task, setTask] = useState<Task>('nothing');
  const [codes, setCodes] = useState<readonly string[]>();
  const finish = (shown?: readonly string[]): void => {
    setTask('nothing');
    setCodes(shown);
    onEnded();
    // Workspaces may have waited for it.
    void queries.invalidateQueries();
  };
  const leave = () => setTask('nothing');
  const isInUse = state !== undefined && (state.enabled || state.passkeys > 0);
  return (
    <Section title={texts.title} intro={texts.intro}>
      {codes !== undefined && <RecoveryCodes codes={codes} onKept={() => setCodes(undefined)} />}
      {state !== undefined && isInUse && (
        <Text size="sm">
          {state.enabled && `${texts.on(formats.dateAndTime(state.since ?? ''))} `}
          {texts.left(state.recoveryCodesLeft)}
        </Text>
      )}
      {task === 'nothing' && state !== undefined && (
        <Group gap="xs">
          {!state.enabled && (
            <Button variant="default" onClick={() => setTask('settingUp')}>
              {texts.setUp}
            </Button>
          )}
          {isInUse && (
            <Button variant="default" onClick={() => setTask('renewing')}>
              {texts.renew}
            </Button>
          )}
          {state.enabled && (
            <Button variant="default" onClick={() => setTask('removing')}>
              {texts.remove}
            </Button>
          )}
        </Group>
      )}
      {task === 'settingUp' && <SetUp onDone={finish} onLeave={leave} />}
      {task === 'renewing' && (
        <PasswordAndCode
          action={texts.renew}
          work={async body => finish((await skein.secondFactor.renewRecoveryCodes(body)).recoveryCodes)}
          onLeave={leave}
        />
      )}
      {task === 'removing' && (
        <PasswordAndCode
          action={texts.remove}
          work={async body => {
            await skein.secondFactor.disable(body);
            finish();
          }}
          onLeave={leave}
        />
      )}
    </Section>
  );
}

interface SetUpProps {
  readonly onDone: (codes: readonly string[]) => void;
  readonly onLeave: () => void;
}

function SetUp({ onDone, onLeave }: SetUpProps) {
  const texts = useOwnTexts().secondFactor;
  const [password, setPassword] = useState('');
  const [enrolment, setEnrolment] = useState<SecondFactorEnrolment>();
  const form = useForm(
    async () => setEnrolment(await skein.secondFactor.enrol({ password })),
    () => setPassword(''),
  );
  if (enrolment !== undefined) return <Confirmation {...{ enrolment, onDone, onLeave }} />;
  return (
    <form className={classes['form']} onSubmit={form.submit}>
      <PresentPassword value={password} onChange={setPassword} />
      <Problem text={form.problem} />
      <Buttons
        action={texts.proceed}
        isSending={form.isSending}
        isReady={password !== ''}
        onLeave={onLeave}
      />
    </form>
  );
}

function Confirmation({
  enrolment: { uri, secret },
  onDone,
  onLeave,
}: SetUpProps & { readonly enrolment: SecondFactorEnrolment }) {
  const texts = useOwnTexts().secondFactor;
  const [code, setCode] = useState('');
  const form = useForm(
    async () => onDone((await skein.secondFactor.confirm({ code: code.trim() })).recoveryCodes),
    () => undefined,
  );
  return (
    <Stack gap="sm">
      <Text size="sm">{texts.scan}</Text>
      <QrCode text={uri} label={texts.qrCode} />
      <Text size="sm">
        {texts.type} <Code>{secret}</Code>
      </Text>
      <form className={classes['form']} onSubmit={form.submit}>
        <CodeField value={code} onChange={setCode} isAppOnly />
        <Problem text={form.problem} />
        <Buttons action={texts.confirm} isSending={form.isSending} isReady={code !== ''} onLeave={onLeave} />
      </form>
    </Stack>
  );
}

interface PasswordAndCodeProps {
  readonly action: string;
  readonly work: (body: { readonly password: string; readonly code: string }) => Promise<unknown>;
  readonly onLeave: () => void;
}

function PasswordAndCode({ action, work, onLeave }: PasswordAndCodeProps) {
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const form = useForm(
    () => work({ password, code: code.trim() }),
    () => undefined,
  );
  return (
    <form className={classes['form']} onSubmit={form.submit}>
      <PresentPassword value={password} onChange={setPassword} />
      <CodeField value={code} onChange={setCode} />
      <Problem text={form.problem} />
      <Buttons
        action={action}
        isSending={form.isSending}
        isReady={password !== '' && code !== ''}
        onLeave={onLeave}
      />
    </form>
  );
}

interface ButtonsProps {
  readonly action: string;
  readonly isSending: boolean;
  readonly isReady: boolean;
  readonly onLeave: () => void;
}

function Buttons({ action, isSending, isReady, onLeave }: ButtonsProps) {
  const { cancel } = useOwnTexts();
  return (
    <Group gap="xs">
      <Button type="submit" loading={isSending} disabled={!isReady}>
        {action}
      </Button>
      <Button variant="subtle" onClick={onLeave}>
        {cancel}
      </Button>
    </Group>
  );
}
