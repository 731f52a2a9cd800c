"""Heads examined on gold trees: `examine(encoder, [read_treebank("a.conllu"), read_treebank("b.conllu")])`."""

from typing import TYPE_CHECKING

from encoder.support.import_names import on_demand

if TYPE_CHECKING:
    from encoder.exam.answers import ExamProgress
    from encoder.exam.examination import Exam, bundled_exam, examine, read_exam
    from encoder.exam.moments import Moments, bundled_moments
    from encoder.exam.passing import ExamRow
    from encoder.exam.treebank import ExamError, Tree, Treebank, bundled_treebanks, read_treebank

__all__ = [
    "Exam",
    "ExamError",
    "ExamProgress",
    "ExamRow",
    "Moments",
    "Tree",
    "Treebank",
    "bundled_exam",
    "bundled_moments",
    "bundled_treebanks",
    "examine",
    "read_exam",
    "read_treebank",
]

__getattr__ = on_demand(
    __name__,
    {
        "Exam": "encoder.exam.examination",
        "ExamError": "encoder.exam.treebank",
        "ExamProgress": "encoder.exam.answers",
        "ExamRow": "encoder.exam.passing",
        "Moments": "encoder.exam.moments",
        "Tree": "encoder.exam.treebank",
        "Treebank": "encoder.exam.treebank",
        "bundled_exam": "encoder.exam.examination",
        "bundled_moments": "encoder.exam.moments",
        "bundled_treebanks": "encoder.exam.treebank",
        "examine": "encoder.exam.examination",
        "read_exam": "encoder.exam.examination",
        "read_treebank": "encoder.exam.treebank",
    },
)
