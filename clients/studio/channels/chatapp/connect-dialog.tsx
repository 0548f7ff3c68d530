/** Connects the channel: by a sign-up at the provider, to which the browser goes, or by an access token. */
import { Checkbox, PasswordInput, SegmentedControl, Select, Stack, Text, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { PageLink } from '../../../kit/account/account-page.tsx';
import type { Channel, ConnectChatappBody } from '../../../sdk/index.ts';
import { Dialog, DialogForm } from '../../parts/dialog.tsx';
import { Copyable } from '../../parts/secret.tsx';
import { useTenant } from '../../shell/tenant.tsx';
import { texts } from '../../texts/chatapp.ts';
import classes from './chatapp.module.css';
import { ConnectProblem } from './connect-problem.tsx';
import { beginSignup, findSignupPage, getRedirectUri, type SignupPage } from './signup.ts';
import { type ConnectingApp, useConnectingApps } from './use-connecting-apps.ts';

const { form } = texts;

interface ConnectDialogProps {
  readonly channel: Channel;
  readonly onDone: () => Promise<void>;
  readonly onClose: () => void;
}

export function ConnectDialog({ channel, onDone, onClose }: ConnectDialogProps) {
  const { mayAdminister, workspaceId } = useTenant();
  const apps = useConnectingApps();
  return (
    <Dialog title={texts.form.title(channel.name)} size="lg" onClose={onClose}>
      {apps.data === undefined && <ConnectProblem error={apps.error} place={channel} />}
      {apps.data?.length === 0 && (
        <Stack gap="xs">
          <Text fw={600}>{texts.form.noApp}</Text>
          <Text size="sm">{mayAdminister ? texts.form.noAppHint : texts.form.noAppForYou}</Text>
          <PageLink to="/workspace/$workspaceId/partner-apps" params={{ workspaceId }}>
            {texts.form.toApps}
          </PageLink>
        </Stack>
      )}
      {apps.data?.[0] !== undefined && (
        <ConnectForm
          channel={channel}
          apps={apps.data}
          first={apps.data[0]}
          onDone={onDone}
          onClose={onClose}
        />
      )}
    </Dialog>
  );
}

interface ConnectFormProps extends ConnectDialogProps {
  readonly apps: readonly ConnectingApp[];
  readonly first: ConnectingApp;
}

function ConnectForm({ apps, first, ...props }: ConnectFormProps) {
  const page = findSignupPage();
  const [method, setMethod] = useState<Method>(page === undefined ? 'token' : 'signup');
  const [app, setApp] = useState(first);
  const [named, setNamed] = useState<NamedNumber>({ wabaId: '', phoneNumberId: '' });
  const head = (
    <>
      {page !== undefined && (
        <SegmentedControl
          aria-label={form.method}
          value={method}
          onChange={value => setMethod(value === 'token' ? 'token' : 'signup')}
          data={(['signup', 'token'] as const).map(value => ({ value, label: form.methods[value] }))}
        />
      )}
      <Text size="sm">{method === 'signup' ? form.signupHint : form.tokenHint}</Text>
      <Select
        label={form.app}
        description={form.appHint}
        allowDeselect={false}
        value={app.key}
        onChange={value => setApp(apps.find(each => each.key === value) ?? app)}
        data={apps.map(({ key, name }) => ({ value: key, label: name }))}
      />
    </>
  );
  const body = toBody(app, named);
  const foot = <NumberFields named={named} onChange={setNamed} />;
  return method === 'signup' && page !== undefined ? (
    // Another app has another configuration.
    <SignupForm key={app.key} page={page} app={app} body={body} head={head} foot={foot} {...props} />
  ) : (
    <TokenForm body={body} head={head} foot={foot} {...props} />
  );
}

type Method = 'signup' | 'token';

/** Empty: not named. */
interface NamedNumber {
  readonly wabaId: string;
  readonly phoneNumberId: string;
}

/** What both ways have in common. */
type CommonBody = Pick<ConnectChatappBody, 'partnerAppCredentialId' | 'wabaId' | 'phoneNumberId'>;

function toBody({ partnerAppCredentialId }: ConnectingApp, named: NamedNumber): CommonBody {
  const given = Object.entries(named).filter(([, value]) => value.trim() !== '');
  return {
    ...(partnerAppCredentialId !== null && { partnerAppCredentialId }),
    ...Object.fromEntries(given.map(([name, value]) => [name, value.trim()])),
  };
}

interface MethodProps extends ConnectDialogProps {
  readonly body: CommonBody;
  readonly head: ReactNode;
  readonly foot: ReactNode;
}

interface SignupFormProps extends MethodProps {
  readonly page: SignupPage;
  readonly app: ConnectingApp;
}

function SignupForm({ page, app, body, head, foot, channel }: SignupFormProps) {
  const { channelId, projectId, environmentId } = channel;
  const [configId, setConfigId] = useState(app.configId);
  const [hasPin, setHasPin] = useState(false);
  const leave = (): Promise<void> => {
    const flow = { projectId, environmentId, channelId, ...body, hasPin };
    location.assign(beginSignup(page, { appId: app.appId, configId: configId.trim() }, flow));
    // The page goes: its button stays busy until then. A step back may bring the page back as it was.
    return new Promise(resolve => addEventListener('pageshow', () => resolve(), { once: true }));
  };
  return (
    <DialogForm action={form.proceed} isReady={configId.trim() !== ''} run={leave}>
      {head}
      <TextInput
        label={form.config}
        description={form.configHint}
        required
        inputMode="numeric"
        maxLength={64}
        value={configId}
        onChange={event => setConfigId(event.currentTarget.value)}
      />
      <div>
        <Text size="sm" fw={500}>
          {form.redirectUri}
        </Text>
        <Text size="xs" c="dimmed" mb={4}>
          {form.redirectHint}
        </Text>
        <Copyable label={form.copyRedirect} text={getRedirectUri()} />
      </div>
      <Checkbox
        label={form.hasPin}
        description={form.hasPinHint}
        checked={hasPin}
        onChange={event => setHasPin(event.currentTarget.checked)}
      />
      {foot}
    </DialogForm>
  );
}

function TokenForm({ body, head, foot, channel, onDone, onClose }: MethodProps) {
  const { client } = useTenant();
  const [accessToken, setAccessToken] = useState('');
  const [pin, setPin] = useState('');
  const connect = async (): Promise<void> => {
    const given = { accessToken: accessToken.trim(), ...(pin.trim() !== '' && { pin: pin.trim() }) };
    try {
      await client.chatapp.connect(channel.channelId, { ...body, ...given });
    } finally {
      // It also says what has failed.
      await onDone();
    }
    onClose();
  };
  return (
    <DialogForm
      action={form.connect}
      isReady={accessToken.trim() !== ''}
      run={connect}
      problem={error => <ConnectProblem error={error} place={channel} />}
    >
      {head}
      <PasswordInput
        label={form.accessToken}
        required
        autoComplete="off"
        maxLength={4_096}
        value={accessToken}
        onChange={event => setAccessToken(event.currentTarget.value)}
      />
      <PinInput value={pin} onChange={setPin} />
      {foot}
    </DialogForm>
  );
}

interface NumberFieldsProps {
  readonly named: NamedNumber;
  readonly onChange: (named: NamedNumber) => void;
}

function NumberFields({ named, onChange }: NumberFieldsProps) {
  return (
    <details className={classes['more']}>
      <summary>{form.more}</summary>
      <Stack gap="sm" mt="xs">
        <TextInput
          label={form.wabaId}
          description={form.optional}
          maxLength={128}
          value={named.wabaId}
          onChange={event => onChange({ ...named, wabaId: event.currentTarget.value })}
        />
        <TextInput
          label={form.phoneNumberId}
          maxLength={128}
          value={named.phoneNumberId}
          onChange={event => onChange({ ...named, phoneNumberId: event.currentTarget.value })}
        />
      </Stack>
    </details>
  );
}

interface PinInputProps {
  readonly value: string;
  readonly onChange: (pin: string) => void;
}

/** Of a number: no password manager is to keep it. */
export function PinInput({ value, onChange }: PinInputProps) {
  return (
    <PasswordInput
      label={texts.form.pin}
      description={texts.form.pinHint}
      autoComplete="off"
      inputMode="numeric"
      maxLength={6}
      value={value}
      onChange={event => onChange(event.currentTarget.value)}
    />
  );
}
