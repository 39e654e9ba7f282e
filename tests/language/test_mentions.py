from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from recollect.language.mentions import LONGEST, LOOKED_AT, MOST_KEYS, SHORTEST, SMALL, mentioned
from recollect.records import name_key

CASES = {
    "a name inside a sentence": ("She met Ana Ortiz at noon.", "ana ortiz"),
    "a name of one word": ("They moved to Lisbon.", "lisbon"),
    "small words inside a name": ("A copy of The Lord of the Rings lay there.", "the lord of the rings"),
    "without the word the sentence begins with": ("In Old Harbour Town it rains.", "old harbour town"),
    "a link in double brackets": ("See [[harbour plan|the plan]].", "harbour plan"),
    "a year in a name": ("He saw Blade Runner 2049 twice.", "blade runner 2049"),
    "a name that begins with a year": ("She ran the 2012 Summer Games.", "2012 summer games"),
    "a possessive": ("It was Marguerite Oduya's idea.", "marguerite oduya"),
    "an accent": ("We saw Élodie Brûlé there.", "élodie brûlé"),
    "a capital beyond Latin-1": ("We saw Łukasz Świątek there.", "łukasz świątek"),
    "Cyrillic": ("Вчера пришла Анна Каренина домой.", "анна каренина"),
    "Greek": ("Τότε ήρθε η Ελένη Παππά εκεί.", "ελένη παππά"),
    "a capital that is two letters when small": ("They flew to İzmir Bay.", name_key("İzmir Bay")),
    "a letter that is two when small": ("He lives in Große Straße now.", "grosse strasse"),
    "initials": ("The book is by J. R. R. Rowe himself.", "j r r rowe"),
    "initials without their stops": ("The book is by J R Rowe himself.", "j r rowe"),
    "initials written together": ("The book is by J.R. Rowe himself.", "j r rowe"),
    "a comma inside": ("Born in Paris, Texas in 1950.", "paris texas"),
    "after a comma": ("With her friend, Ana Ortiz, she left.", "ana ortiz"),
    "at the end of a text": ("It was Ana Ortiz", "ana ortiz"),
    "before a sentence ends": ("It was Ana Ortiz! Nobody knew.", "ana ortiz"),
    "in brackets": ("The painter (Ana Ortiz) left.", "ana ortiz"),
    "in quotes": ('He read "The Blue Boat" twice.', "the blue boat"),
    "an apostrophe inside": ("We met Siobhan O’Neill there.", "siobhan o neill"),
    "a hyphen inside": ("We met Ana-Maria Ortiz there.", "ana maria ortiz"),
    "a name of code": ("It calls Order_book first.", "order_book"),
    "a link in small letters": ("as in [[blue boat]] and elsewhere", "blue boat"),
    "a link with a bracketed ending": ("see [[The Blue Boat (1998 film)]]", "the blue boat"),
    "a link in another script": ("見る [[東京の事務所]] 。", "東京の事務所"),
    "a link right after a word": ("see[[blue boat]]", "blue boat"),
    "the second of two links": ("[[one boat]][[blue boat]]", "blue boat"),
}
AGAINST = {
    "small letters": ("she met ana ortiz at noon", "ana ortiz"),
    "over the end of a sentence": ("It was Ana. Ortiz came later.", "ana ortiz"),
    "over a question mark": ("Was it Ana? Ortiz came later.", "ana ortiz"),
    "over a line": ("It was Ana\nOrtiz came later.", "ana ortiz"),
    "over a semicolon": ("It was Ana; Ortiz came later.", "ana ortiz"),
    "over a colon": ("So said Ana: Ortiz came later.", "ana ortiz"),
    "the first word of a sentence, where it is a small one": ("They left.", "they"),
    "a run that ends in a small word": ("The Lord of the Rings.", "the lord of the"),
    "too short to name anything": ("It was Al who left.", "al"),
    "more words than a name has": ("One Two Three Four Five Six Seven Eight.", "one two three four five six seven"),
    "a number that is no year": ("We paid 30000 Euros.", "30000 euros"),
    "what a link is shown as": ("See [[harbour plan|quay sheet]].", "quay sheet"),
    "a link that is never closed": ("See [[harbour plan and go.", "harbour plan"),
    "a script without capitals": ("اجتماع الفريق يوم الأحد", "اجتماع الفريق"),
    "beyond what is looked at": ("x " * (LOOKED_AT // 2) + "Ana Ortiz", "ana ortiz"),
}


@pytest.mark.parametrize(("text", "key"), CASES.values(), ids=CASES)
def test_names_are_found(text: str, key: str) -> None:
    assert key in mentioned(text)


@pytest.mark.parametrize(("text", "key"), AGAINST.values(), ids=AGAINST)
def test_what_is_no_name_is_not_found(text: str, key: str) -> None:
    assert key not in mentioned(text)


@pytest.mark.parametrize(
    "text", ["nothing is named here", "", "we paid 30 euros", "Ox", "[[|x]]", "[[ - ]]", "[[]]", "...", "東京の事務所"]
)
def test_where_nothing_is_named_nothing_is_found(text: str) -> None:
    assert mentioned(text) == []


def test_no_text_gives_more_names_than_can_be_looked_up() -> None:
    assert len(mentioned(" and ".join(f"Name{number} said" for number in range(500)))) <= MOST_KEYS
    assert len(mentioned("".join(f"[[{number:02}]]" for number in range(300)))) <= MOST_KEYS


words = st.text(st.characters(categories=["Lu", "Ll", "Lt"]), min_size=1, max_size=8)
names = st.lists(words, min_size=1, max_size=LONGEST).map(" ".join)


@given(names)
@example("İzmir Bay")
@example("ǰ Ǆ")
def test_a_name_with_capitals_is_found_by_the_key_titles_are_kept_under(name: str) -> None:
    first, last, key = name.split()[0], name.split()[-1], name_key(name)
    if first[0].isupper() and len(key) >= SHORTEST and last.casefold() not in SMALL:
        if first.casefold() in SMALL and len(name.split()) > 1 and not name.split()[1][0].isupper():
            return  # reads as the first word of a sentence
        assert key in mentioned(f"we saw {name}")


@given(st.text(max_size=300))
def test_keys_are_as_titles_are_kept_and_none_is_empty(text: str) -> None:
    for key in mentioned(text):
        assert key
        assert key == name_key(key)


@given(st.text(st.characters(categories=["Lu", "Ll", "Po", "Zs"]), max_size=80))
def test_the_same_text_names_the_same_in_the_same_order_each_once(text: str) -> None:
    found = mentioned(text)
    assert found == mentioned(text) and len(found) == len(set(found))
