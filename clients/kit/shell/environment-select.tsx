/** Project and environment. Production looks like nothing else. */
import { ChevronsUpDown } from 'lucide-react';
import { Suspense } from 'react';
import { afterFirstPage } from '../first-page.ts';
import { lazyPart } from '../lazy-part.ts';
import { useKitTexts } from '../texts/index.ts';
import type { EnvironmentFieldProps } from './environment-field.tsx';
import { type EnvironmentChoice, rememberEnvironment, useEnvironments } from './environments.ts';
import classes from './environment-select.module.css';

/** By itself: what follows an import in the same expression becomes a part of it for Vite, and hears nothing of a style that is missing. */
const loadField = afterFirstPage(() => import('./environment-field.tsx'));
/** What it is made of is large. Until it is there its place shows the same. */
const EnvironmentField = lazyPart<EnvironmentFieldProps>(loadField, Still);

type EnvironmentIds = Pick<EnvironmentChoice, 'projectId' | 'environmentId'>;

interface EnvironmentSelectProps {
  readonly place: EnvironmentIds;
  readonly onChosen: (place: EnvironmentIds) => void;
}

const toValue = ({ projectId, environmentId }: EnvironmentIds): string => `${projectId}/${environmentId}`;
const toOption = (choice: EnvironmentChoice) => ({ value: toValue(choice), label: choice.label });

const chevron = <ChevronsUpDown size={14} aria-hidden />;

export function EnvironmentSelect({ place, onChosen }: EnvironmentSelectProps) {
  const texts = useKitTexts().shell;
  const { data: places } = useEnvironments();
  const current = places?.find(each => toValue(each) === toValue(place));
  const still = (
    <Still chevron={chevron} value={toValue(place)} data={current === undefined ? [] : [toOption(current)]} />
  );
  return (
    <div className={classes['place']} data-production={current?.isProduction || undefined}>
      {places === undefined ? (
        still
      ) : (
        <Suspense fallback={still}>
          <EnvironmentField
            label={texts.place}
            chevron={chevron}
            value={toValue(place)}
            data={places.map(toOption)}
            onChosen={value => {
              const chosen = places.find(each => toValue(each) === value);
              if (chosen === undefined) return;
              rememberEnvironment(chosen);
              onChosen(chosen);
            }}
          />
        </Suspense>
      )}
      <span className={classes['kind']}>
        {current?.isProduction === true ? texts.production : texts.sandbox}
      </span>
    </div>
  );
}

/** Looks as the field does, and lets nothing be chosen. */
function Still({ chevron: icon, value, data }: Pick<EnvironmentFieldProps, 'chevron' | 'value' | 'data'>) {
  return (
    <div className={classes['still']}>
      <span className={classes['name']}>{data.find(each => each.value === value)?.label}</span>
      {icon}
    </div>
  );
}
