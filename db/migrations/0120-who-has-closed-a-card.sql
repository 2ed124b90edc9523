-- Whether a card has expired is said by what closes it: somebody else may close it at the same moment.

drop function if exists card_advance(uuid);
