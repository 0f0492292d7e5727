"""Versions may ship bytecode: the interpreter that it is for, and the sources that it was compiled from."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('tasks_app', '0001_initial'),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name='versionfile',
            name='file_shared_or_exclusive',
        ),
        migrations.AddField(
            model_name='taskversion',
            name='interpreter',
            field=models.CharField(blank=True, db_default='', default='', help_text='whose bytecode devices get; empty: the source', max_length=40),
        ),
        migrations.AlterField(
            model_name='versionfile',
            name='kind',
            field=models.CharField(choices=[('shared', 'Shared'), ('exclusive', 'Exclusive'), ('source', 'Source')], max_length=9),
        ),
        migrations.AddConstraint(
            model_name='versionfile',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('digest__isnull', False), ('kind__in', ['shared', 'source']), ('size__isnull', False), ('default', ''), ('digest__regex', '^[0-9a-f]{64}$'), ('size__gte', 0), ('template', '')), models.Q(models.Q(('digest', None), ('kind', 'exclusive'), ('size', None)), models.Q(('template', ''), _negated=True), models.Q(('default', models.F('path')), _negated=True)), _connector='OR'), name='file_shared_or_exclusive'),
        ),
    ]
