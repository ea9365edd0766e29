"""Composite mentions: which things they name, and that everything else is left alone."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdfast.text.composites import split_composite

MOST_PARTS = 16


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("breast and ovarian cancer", "breast cancer|ovarian cancer"),
        ("breast or ovarian tumors", "breast tumors|ovarian tumors"),
        ("colon, breast and ovarian cancers", "colon cancers|breast cancers|ovarian cancers"),
        ("colon, breast, and lung cancer", "colon cancer|breast cancer|lung cancer"),
        ("cardiac and/or renal failure", "cardiac failure|renal failure"),
        ("cardiac as well as renal failure", "cardiac failure|renal failure"),
        ("both cardiac & renal failure", "cardiac failure|renal failure"),
        ("lead or mercury poisoning", "lead poisoning|mercury poisoning"),
        ("low back and right leg pain", "low back pain|right leg pain"),
        ("aortic or mitral regurgitation", "aortic regurgitation|mitral regurgitation"),
        ("COX-1 and COX-2 inhibitors", "COX-1 inhibitors|COX-2 inhibitors"),
        ("fever, colon and ovarian cancer", "fever|colon cancer|ovarian cancer"),
        ("breast cancer, colon and ovarian cancer", "breast cancer|colon cancer|ovarian cancer"),
        ("diabetes type 2, breast and lung cancer", "diabetes type 2|breast cancer|lung cancer"),
        (
            "renal (left side) and cardiac (right) failure",
            "renal (left side) failure|cardiac (right) failure",
        ),
        ("- and T-cell lymphoma", "- lymphoma|T-cell lymphoma"),
    ],
)
def test_a_head_on_the_right_is_shared(text: str, parts: str) -> None:
    assert split_composite(text) == tuple(parts.split("|"))


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        (
            "Duchenne and Becker muscular dystrophy",
            "Duchenne muscular dystrophy|Becker muscular dystrophy",
        ),
        ("bone and soft tissue tumors", "bone tumors|soft tissue tumors"),
        (
            "breast and ovarian cancer syndrome",
            "breast cancer syndrome|ovarian cancer syndrome",
        ),
        ("hereditary and non hereditary glioma", "hereditary glioma|non hereditary glioma"),
        (
            "cerebral artery and the venous sinus occlusion",
            "cerebral artery occlusion|venous sinus occlusion",
        ),
        (
            "Lewy body and frontal dementia syndrome",
            "Lewy body dementia syndrome|frontal dementia syndrome",
        ),
        ("breast and ovarian cancer, familial", "breast cancer, familial|ovarian cancer, familial"),
        ("colorectal and other cancers", "colorectal cancers|cancers"),
    ],
)
def test_the_shared_head_is_as_long_as_the_conjuncts_are_parallel(text: str, parts: str) -> None:
    assert split_composite(text) == tuple(parts.split("|"))


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("liver/kidney disease", "liver disease|kidney disease"),
        (
            "Duchenne/Becker muscular dystrophy",
            "Duchenne muscular dystrophy|Becker muscular dystrophy",
        ),
        ("cleft lip/palate", "cleft lip|cleft palate"),
        ("ataxia 3/Machado-Joseph disease", "ataxia 3|Machado-Joseph disease"),
        ("liver/kidney (left/right) disease", "liver disease|kidney (left/right) disease"),
        ("liver/skin/lung disease", "liver disease|skin disease|lung disease"),
    ],
)
def test_a_slash_between_words_joins_them(text: str, parts: str) -> None:
    assert split_composite(text) == tuple(parts.split("|"))


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("cleft lip and palate", "cleft lip|cleft palate"),
        (
            "ventricular tachycardia and fibrillation",
            "ventricular tachycardia|ventricular fibrillation",
        ),
        ("T-cell leukaemia or lymphoma", "T-cell leukaemia|T-cell lymphoma"),
        ("impaired learning and memory", "impaired learning|impaired memory"),
        ("chronic gastritis and nephritis", "chronic gastritis|chronic nephritis"),
        ("toxic neuropathies and myopathy", "toxic neuropathies|toxic myopathy"),
        ("renal injuries and failure", "renal injuries|renal failure"),
        ("aortic stenosis and regurgitation", "aortic stenosis|aortic regurgitation"),
    ],
)
def test_words_on_the_left_are_shared(text: str, parts: str) -> None:
    assert split_composite(text) == tuple(parts.split("|"))


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("type I and II diabetes", "type I diabetes|type II diabetes"),
        ("types 1 and 2 diabetes", "type 1 diabetes|type 2 diabetes"),
        ("Types 1 and 2 diabetes", "Type 1 diabetes|Type 2 diabetes"),
        ("diabetes type 1 and type 2", "diabetes type 1|diabetes type 2"),
        ("stage II or stage III glioma", "stage II glioma|stage III glioma"),
        ("vitamin A and D", "vitamin A|vitamin D"),
        ("vitamins A, D and K", "vitamin A|vitamin D|vitamin K"),
        (
            "prostaglandin D2, E2, or F2 alpha",
            "prostaglandin D2|prostaglandin E2|prostaglandin F2 alpha",
        ),
        ("gangliosidosis, type 1 and 2", "gangliosidosis, type 1|gangliosidosis, type 2"),
    ],
)
def test_letters_and_numbers_share_what_is_around_them(text: str, parts: str) -> None:
    assert split_composite(text) == tuple(parts.split("|"))


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("B- and T-cell lymphoma", "B-cell lymphoma|T-cell lymphoma"),
        ("T/B-cell lymphoma", "T-cell lymphoma|B-cell lymphoma"),
        ("α- and β-thalassemia", "α-thalassemia|β-thalassemia"),
        ("hypo- and hyperkalemia", "hypokalemia|hyperkalemia"),
        ("hypo and hyperkalemia", "hypokalemia|hyperkalemia"),
        ("pre- or postoperative pain", "preoperative pain|postoperative pain"),
        (
            "VHL- and tuberous sclerosis-associated tumors",
            "VHL-associated tumors|tuberous sclerosis-associated tumors",
        ),
        ("estradiol- and testosterone esters", "estradiol esters|testosterone esters"),
        ("COX-1 and -2", "COX-1|COX-2"),
        ("hypo and hyperkal", "hypokal|hyperkal"),
        ("VHL- and X a-b-c tumors", "VHL-c tumors|X a-b-c tumors"),
        ("B- and non-T-cell lymphoma", "B-T-cell lymphoma|non-T-cell lymphoma"),
    ],
)
def test_a_part_of_a_word_is_shared_at_its_hyphen(text: str, parts: str) -> None:
    assert split_composite(text) == tuple(parts.split("|"))


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("cancer of the breast and ovary", "cancer of the breast|cancer of the ovary"),
        ("cancer of the breast and of the ovary", "cancer of the breast|cancer of the ovary"),
        (
            "thrombosis of both the ICA and the sinus",
            "thrombosis of the ICA|thrombosis of the sinus",
        ),
        (
            "cancer of the renal pelvis, ureter or bladder",
            "cancer of the renal pelvis|cancer of the ureter|cancer of the bladder",
        ),
        (
            "lesions in the central and peripheral cortex",
            "lesions in the central cortex|lesions in the peripheral cortex",
        ),
        ("adenoma or carcinoma of the colon", "adenoma of the colon|carcinoma of the colon"),
        ("cancer of the breast and diabetes", "cancer of the breast|diabetes"),
        ("cancer of the breast and of a lung", "cancer of the breast|cancer of a lung"),
        ("cancer of the breast and the ovary", "cancer of the breast|cancer of the ovary"),
        ("cancer of the breast and a lung", "cancer of the breast|cancer of the lung"),
        ("cancer of lip and palate", "cancer of lip|cancer of palate"),
        ("cancer of the and breast", "cancer of the|cancer of breast"),
        ("fever and breast cancer of the lung", "fever|breast cancer of the lung"),
        (
            "breast and ovarian cancer of the left and right side",
            "breast cancer of the left|breast cancer of the right side"
            "|ovarian cancer of the left|ovarian cancer of the right side",
        ),
        ("fever and cancer of the breast", "fever|cancer of the breast"),
        (
            "cysts or polyps of the colon and rectum",
            "cysts of the colon|cysts of the rectum|polyps of the colon|polyps of the rectum",
        ),
    ],
)
def test_a_preposition_is_shared_by_what_it_can_belong_to(text: str, parts: str) -> None:
    assert split_composite(text) == tuple(parts.split("|"))


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("fever and headache", "fever|headache"),
        ("fever and severe headache", "fever|severe headache"),
        ("nausea, vomiting, and diarrhea", "nausea|vomiting|diarrhea"),
        ("breast cancer and diabetes", "breast cancer|diabetes"),
        ("hepatitis B and HIV", "hepatitis B|HIV"),
        ("severe asthma and aspirin", "severe asthma|aspirin"),
        ("renal zinc and iron", "renal zinc|iron"),
        ("chronic renal failure and gastritis", "chronic renal failure|gastritis"),
        ("breast fibrosis and anemia", "breast fibrosis|anemia"),
        ("renal cyst (left side) and fever", "renal cyst (left side)|fever"),
        ("metastasis and fever", "metastasis|fever"),
        ("diabetes type 2 and breast cancer", "diabetes type 2|breast cancer"),
        ("type 1 diabetes and type 2 diabetes", "type 1 diabetes|type 2 diabetes"),
        ("hypo and hyper-kalemia", "hypo|hyper-kalemia"),
        ("hypo and hyperka", "hypo|hyperka"),
        ("COX-1 and - 2", "COX-1|- 2"),
        ("cisplatin and folic acid", "cisplatin|folic acid"),
        ("valproic acid and cisplatin", "valproic acid|cisplatin"),
        (
            "attention deficit and hyperactivity disorder",
            "attention deficit|hyperactivity disorder",
        ),
    ],
)
def test_conjuncts_that_lack_nothing_share_nothing(text: str, parts: str) -> None:
    assert split_composite(text) == tuple(parts.split("|"))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "asthma",
        "and",
        "fever and",
        "or fever",
        "fever and and headache",
        "Diabetes Mellitus, Type 2",
        "sudden, unexplained death",
        "2,4-dichlorophenoxyacetic acid",
        "cleft lip with or without cleft palate",
        "loss of one or more toes",
        "head and neck cancer",
        "complement deficiencies (C2 and C7)",
        "tumour (breast and ovarian cancer",
        "tumour) and (cancer",
        "breast) ( and ovarian cancer",
        "breast ) ( and ovarian cancer",
        "breast] [ or lung ( ) cancer",
        "breast and ovarian (cancer",
        "anaemia (iron/folate deficiency)",
        "tumour [breast (left) / ovary (right)]",
        "hepatitis (drug/alcohol (or both))",
        "mg/kg",
        "CL/P",
        "A/B",
        "cancer and  cancer",
        "  renal \t failure ",
    ],
)
def test_what_is_one_thing_comes_back_unchanged(text: str) -> None:
    assert split_composite(text) == (text,)


def test_brackets_stay_with_their_word() -> None:
    assert split_composite("diabetic (type 1 and 2) and toxic (drug) neuropathy") == (
        "diabetic (type 1 and 2) neuropathy",
        "toxic (drug) neuropathy",
    )


def test_a_fixed_phrase_is_one_word_of_a_list() -> None:
    assert split_composite("breast and Head  and neck cancers") == (
        "breast cancers",
        "Head and neck cancers",
    )


def test_a_list_too_long_for_a_mention_is_left_alone() -> None:
    organs = [f"organ{i}ic" for i in range(MOST_PARTS + 1)]
    assert len(split_composite(f"{', '.join(organs[:-2])} and {organs[-2]} cancer")) == MOST_PARTS
    text = f"{', '.join(organs[:-1])} and {organs[-1]} cancer"
    assert split_composite(text) == (text,)


words = st.text("abcdefghijklmnoprstuvwyzαβéÉ", min_size=3, max_size=9).map(lambda w: w + "ic")


@settings(deadline=None)
@given(st.lists(words, min_size=2, max_size=6, unique=True), st.sampled_from(["and", "or"]))
def test_every_adjective_of_a_list_gets_the_head(adjectives: list[str], conjunction: str) -> None:
    text = f"{', '.join(adjectives[:-1])} {conjunction} {adjectives[-1]} disease"
    assert split_composite(text) == tuple(f"{adjective} disease" for adjective in adjectives)


PIECES = (
    "breast ovarian cancer fever hypo- hyperkalemia -2 COX-1 type Types II 2 A vitamin of in the to"
    " and or nor and/or & / , , liver/kidney ( ) [C2 C7] (a or b) both other non head neck with"
    " without more α- β-cell acid cisplatin lip palate syndrome \x00 -- ++ 🙂 قلب as well"
)
mentions = st.lists(st.sampled_from(PIECES.split(" ")), max_size=12).map(" ".join) | st.text(
    max_size=40
)


@settings(max_examples=400, deadline=None)
@given(mentions)
def test_any_text_gives_itself_or_several_parts_made_of_its_own_characters(text: str) -> None:
    parts = split_composite(text)
    if len(parts) == 1:
        assert parts == (text,)
        return
    assert len(parts) <= MOST_PARTS
    assert len(set(parts)) == len(parts)
    for part in parts:
        assert len(part) >= 2
        assert part == " ".join(part.split())
        assert set(part) <= {*text, " "}


@pytest.mark.parametrize(
    "piece",
    ["and ", "a/", "fever, ", "of the ", "(", "hypo- ", "x", " ", "head ", "as ", "type I "],
)
def test_ten_thousand_characters_are_answered_within_bounds(piece: str) -> None:
    for end in ("", " and ovarian cancer", "-cell and T-cell of the lung or brain"):
        text = (piece * 10_000)[:10_000] + end
        parts = split_composite(text)
        assert len(parts) <= MOST_PARTS
        assert sum(map(len, parts)) <= MOST_PARTS * len(text)
