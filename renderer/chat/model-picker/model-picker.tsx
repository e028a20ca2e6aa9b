import { Button, Combobox, useCombobox } from '@mantine/core';
import { IconChevronDown } from '@tabler/icons-react';
import { type ReactElement, useState } from 'react';
import { ModelId } from '../../components/model-id/model-id.tsx';
import { TruncatedText } from '../../components/truncated-text.tsx';
import classes from './model-picker.module.css';
import { ModelSearch } from './model-search.tsx';

interface ModelPickerProps {
  /** Id of the selected model; empty for none. */
  readonly value: string;
  readonly onPick: (model: string) => void;
  /** The accessible label; "Model" by default. */
  readonly label?: string;
  /** Renders another element instead of the button with the model's id; receives the click handler. */
  readonly target?: (toggle: () => void) => ReactElement;
}

/** Selects a model of the live list by any word of its id or title; an id that is not in the list is accepted as typed. */
export function ModelPicker({ value, onPick, label = 'Model', target }: ModelPickerProps) {
  const [opened, setOpened] = useState(false);
  const combobox = useCombobox({
    opened,
    onOpenedChange: setOpened,
    onDropdownClose: () => {
      combobox.resetSelectedOption();
      combobox.focusTarget();
    },
    onDropdownOpen: () => combobox.focusSearchInput(),
  });
  const toggle = (): void => combobox.toggleDropdown();
  const shown = value === '' ? 'Choose a model' : value;
  return (
    <Combobox
      store={combobox}
      width={340}
      position="bottom-start"
      shadow="md"
      transitionProps={{ duration: 0 }}
      onOptionSubmit={(id) => {
        combobox.closeDropdown();
        if (id !== value) onPick(id);
      }}
    >
      <Combobox.Target targetType="button">
        {target?.(toggle) ?? (
          <Button
            size="compact-sm"
            variant="default"
            onClick={toggle}
            aria-label={`${label}: ${shown}`}
            rightSection={<IconChevronDown size={13} aria-hidden />}
            classNames={{ root: classes['button'] ?? '', label: classes['modelId'] ?? '' }}
          >
            <TruncatedText text={value} className={classes['modelText']}>
              {value === '' ? shown : <ModelId id={value} />}
            </TruncatedText>
          </Button>
        )}
      </Combobox.Target>
      <Combobox.Dropdown>
        {opened && <ModelSearch value={value} store={combobox} />}
      </Combobox.Dropdown>
    </Combobox>
  );
}
