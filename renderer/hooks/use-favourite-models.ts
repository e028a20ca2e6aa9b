import { useLocalStorage } from '@mantine/hooks';
import { z } from 'zod';
import { readStored } from './storage.ts';

const KEY = 'gatehouse-model-favourites';
const MAX_FAVOURITES = 200;
const Ids = z.array(z.string());

interface FavouriteModels {
  /** Ids, the oldest favourite first. Those that the service in use does not list stay. */
  readonly favourites: readonly string[];
  readonly toggleFavourite: (id: string) => void;
}

/** Returns the person's favourite models. They are kept in the browser, and every tab sees a change. */
export function useFavouriteModels(): FavouriteModels {
  const [favourites, setFavourites] = useLocalStorage<readonly string[]>({
    key: KEY,
    defaultValue: [],
    getInitialValueInEffect: false,
    deserialize: parseIds,
  });
  const toggleFavourite = (id: string): void => {
    // Another tab may have changed them while this one showed none.
    const before = readStored(KEY, Ids) ?? [];
    setFavourites(
      before.includes(id)
        ? before.filter((other) => other !== id)
        : [...before, id].slice(-MAX_FAVOURITES),
    );
  };
  return { favourites, toggleFavourite };
}

function parseIds(text: string | undefined): readonly string[] {
  try {
    return Ids.parse(JSON.parse(text ?? '[]'));
  } catch {
    return [];
  }
}
