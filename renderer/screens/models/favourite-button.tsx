import { ActionIcon, Tooltip } from '@mantine/core';
import { IconStar, IconStarFilled } from '@tabler/icons-react';
import { useFavouriteModels } from '../../hooks/use-favourite-models.ts';

/** Makes a model a favourite, or ends that. */
export function FavouriteButton({ id }: { readonly id: string }) {
  const { favourites, toggleFavourite } = useFavouriteModels();
  const isFavourite = favourites.includes(id);
  return (
    <Tooltip label={isFavourite ? 'Remove from favourites' : 'Add to favourites'}>
      <ActionIcon
        variant="subtle"
        color="gray"
        size="sm"
        aria-label={`Favourite: ${id}`}
        aria-pressed={isFavourite}
        onClick={(event) => {
          event.stopPropagation();
          toggleFavourite(id);
        }}
      >
        {isFavourite ? (
          <IconStarFilled size={15} color="var(--gate-warn)" />
        ) : (
          <IconStar size={15} />
        )}
      </ActionIcon>
    </Tooltip>
  );
}
